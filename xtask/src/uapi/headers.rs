//! The kernel's headers: their place, the choice of those to read, and the run of clang on them.

use super::Abi;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Headers that come first: their meaning of a name wins where two headers disagree.
const FIRST: &[&str] = &["asm/", "asm-generic/", "linux/", "sound/asound.h", "drm/drm"];

/// Headers that are not read, each with the reason.
const SKIP: &[&str] = &[
    // Included by few headers and only with a macro set, or without facts.
    "linux/byteorder/",
    "asm/unistd", // numbers.rs reads these
    "asm-generic/unistd",
    "asm-generic/int-l",
    "asm/posix_types_", // internal to asm/posix_types.h
    "asm/vsyscall.h",
    "linux/patchkey.h",
    "linux/coda.h", // wants BSD types; its calls are made by one daemon
    "linux/sctp.h", // see extra/sctp_abi.h
    // Firmware tokens: large, and no system call takes them.
    "sound/sof/",
    "sound/skl",
    "sound/snd_sst",
    "linux/coff.h",
    "linux/a.out.h",
    "asm/a.out.h",
    // Register names of the processor, which no call uses.
    "asm/vmx.h",
    "asm/svm.h",
    "asm/processor-flags.h",
];

/// C library headers that UAPI headers ask for outside the kernel, cut down to what they need.
const LIBC_STUBS: &[(&str, &str)] = &[
    ("linux/compiler.h", ""),
    ("linux/compiler_types.h", ""),
    ("linux/version.h", ""),
    ("asm/unistd_32.h", ""),
    ("asm/unistd_64.h", ""),
    ("asm/unistd_x32.h", ""),
    ("endian.h", "#include <asm/byteorder.h>\n"),
    ("string.h", ""),
    ("stdlib.h", ""),
    ("unistd.h", ""),
    ("time.h", "#include <linux/time.h>\n#include <linux/time_types.h>\ntypedef __kernel_old_time_t time_t;\n"),
    ("sys/time.h", "#include <linux/time.h>\n"),
    ("sys/ioctl.h", "#include <linux/ioctl.h>\n"),
    ("sys/types.h", "#include <linux/types.h>\ntypedef __kernel_size_t size_t;\ntypedef __kernel_pid_t pid_t;\n"),
    ("sys/socket.h", "#include <linux/socket.h>\n#include \"socket_abi.h\"\n"),
    // Programs that talk to Xen declare these types themselves.
    (
        "xen/interface/xen.h",
        "#include <linux/types.h>\ntypedef __u16 domid_t;\ntypedef __u32 grant_ref_t;\ntypedef unsigned long xen_pfn_t;\n",
    ),
    ("netinet/in.h", "#include <linux/in.h>\n#include <linux/in6.h>\n"),
    ("netinet/if_ether.h", "#include <linux/if_ether.h>\n"),
];

/// Kernel-internal headers whose numbers are part of the ABI. Only lines that define names with these beginnings are
/// taken.
const SCRAPED: &[(&str, &[&str])] = &[
    ("include/linux/socket.h", &["AF_", "PF_", "MSG_", "SOL_", "SCM_", "SOMAXCONN"]),
    ("include/linux/errno.h", &["E"]),
    ("include/linux/fs.h", &["MNT_", "UMOUNT_"]),
    ("include/linux/stat.h", &["UTIME_"]),
    ("include/linux/statfs.h", &["ST_"]),
    ("include/linux/splice.h", &["SPLICE_F_"]),
    ("include/linux/swap.h", &["SWAP_FLAG_"]),
    ("include/linux/syslog.h", &["SYSLOG_ACTION_"]),
];

/// Kernel-internal headers that are part of the ABI as a whole, and the names by which they are included.
const COPIED: &[(&str, &str)] = &[("include/scsi/sg.h", "scsi_sg.h"), ("include/scsi/scsi_ioctl.h", "scsi_ioctl.h")];

pub struct Source {
    /// The `linux-headers-*-common` tree.
    pub kernel: PathBuf,
    /// Our own headers.
    pub extra: PathBuf,
    scratch: PathBuf,
}

impl Source {
    pub fn find(root: &Path) -> Result<Source> {
        let mut found: Vec<PathBuf> = fs::read_dir("/usr/src")
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with("linux-headers-6.12.")
                    && name.ends_with("-common")
                    && path.join("include/uapi").is_dir()
            })
            .collect();
        found.sort();
        let Some(kernel) = found.pop() else {
            bail!(
                "no /usr/src/linux-headers-6.12.*-common with include/uapi: \
                 install the Debian package linux-headers-6.12.*-common (`apt-cache search linux-headers-6.12`)"
            );
        };
        if Command::new("clang").arg("--version").output().is_err() {
            bail!("clang is missing: install the Debian package clang");
        }
        let source = Source { kernel, extra: root.join("xtask/extra"), scratch: root.join("target/uapi") };
        Ok(source)
    }

    /// The package that contains the headers. Its point releases differ now and then.
    pub fn package(&self) -> String {
        self.kernel.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// A directory for one ABI's intermediate files, with the stub headers written into it.
    pub fn work_dir(&self, abi: Abi) -> Result<PathBuf> {
        let work = self.scratch.join(abi.name());
        let stubs = work.join("stubs");
        let write = |name: &str, text: &str| -> Result<()> {
            let path = stubs.join(name);
            fs::create_dir_all(path.parent().context("a stub has a directory")?)?;
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
        };
        for (name, text) in LIBC_STUBS {
            write(name, text)?;
        }
        // The files that the kernel's build would generate: asm/X.h falls back to asm-generic/X.h. The stub directory
        // is searched after the architecture's own.
        for name in list(&self.kernel.join("include/uapi/asm-generic"))? {
            write(&format!("asm/{name}"), &format!("#include <asm-generic/{name}>\n"))?;
        }
        for (header, name) in COPIED {
            let path = self.kernel.join(header);
            write(name, &fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?)?;
        }
        write("scraped.h", &self.scrape()?)?;
        Ok(work)
    }

    fn scrape(&self) -> Result<String> {
        let mut text = String::new();
        for (header, prefixes) in SCRAPED {
            let path = self.kernel.join(header);
            let body = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            for line in body.lines() {
                let Some(define) = line.strip_prefix("#define") else {
                    continue;
                };
                let define = define.trim_start();
                if prefixes.iter().any(|prefix| define.starts_with(prefix)) && !line.ends_with('\\') {
                    let line = line.split("/*").next().unwrap_or(line);
                    // scraped.h shares a translation unit with nothing that defines these.
                    text.push_str(line.trim_end());
                    text.push('\n');
                }
            }
        }
        Ok(text)
    }

    /// Every header by the name for inclusion, most authoritative first: ours, the scraped ones, the rest.
    pub fn headers(&self, abi: Abi) -> Result<Vec<String>> {
        let mut names: Vec<String> = list(&self.extra)?;
        names.push("scraped.h".into());
        let mut rest: Vec<String> = list(&self.kernel.join("include/uapi"))?;
        let arch = list(&self.kernel.join(format!("arch/{}/include/uapi", abi.facts().kernel_arch)))?;
        for name in arch {
            rest.push(name);
        }
        rest.retain(|name| !SKIP.iter().any(|skip| name.starts_with(skip)));
        let rank = |name: &String| {
            let rank = FIRST.iter().position(|first| name.starts_with(first)).unwrap_or(FIRST.len());
            // Within linux/, headers of the top level come before those in folders.
            (rank, name.matches('/').count(), name.clone())
        };
        rest.extend(COPIED.iter().map(|(_, name)| name.to_string()));
        rest.sort_by_key(rank);
        rest.dedup();
        names.extend(rest);
        Ok(names)
    }

    /// clang for one ABI. The caller adds the action and the file.
    pub fn clang(&self, abi: Abi, work: &Path) -> Command {
        let mut clang = Command::new("clang");
        clang.args(["-target", abi.facts().triple, "-std=gnu11", "-ffreestanding", "-nostdlibinc", "-x", "c"]);
        // Plain char is unsigned on arm64. Treating it as signed everywhere keeps the ABIs comparable, and no caller
        // prints a char array as numbers.
        clang.arg("-fsigned-char");
        // Annotations that `make headers_install` would strip.
        clang.args(["-D__user=", "-D__force=", "-D__iomem=", "-D__attribute_const__=", "-D__EXPORTED_HEADERS__"]);
        clang.args(["-D__packed=__attribute__((packed))", "-D__bitwise=", "-D__counted_by(x)="]);
        clang.args(["-ferror-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics", "-Wno-everything"]);
        // Not -isystem, because clang does not report redefined macros of system headers.
        clang.arg("-I").arg(&self.extra);
        clang.arg("-I").arg(self.kernel.join(format!("arch/{}/include/uapi", abi.facts().kernel_arch)));
        clang.arg("-I").arg(self.kernel.join("include/uapi"));
        clang.arg("-I").arg(work.join("stubs"));
        clang.env("LC_ALL", "C");
        clang
    }
}

/// Every `.h` below a directory, relative to it, sorted.
fn list(dir: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut todo = vec![dir.to_path_buf()];
    while let Some(next) = todo.pop() {
        for entry in fs::read_dir(&next).with_context(|| format!("cannot read {}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|ext| ext == "h") {
                found.push(path.strip_prefix(dir)?.to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}
