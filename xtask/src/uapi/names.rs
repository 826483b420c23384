//! Error and signal tables: the numbers from the headers, the texts from the C library.

use super::headers::Source;
use anyhow::{Context, Result};
use std::ffi::CStr;
use std::fs;
use std::path::Path;

/// Codes that never reach a program but do reach its tracer (include/linux/errno.h). The C library has no text for
/// them.
const RESTART: &[(u32, &str, &str)] = &[
    (512, "ERESTARTSYS", "To be restarted if SA_RESTART is set"),
    (513, "ERESTARTNOINTR", "To be restarted"),
    (514, "ERESTARTNOHAND", "To be restarted if no handler"),
    (515, "ENOIOCTLCMD", "No ioctl command"),
    (516, "ERESTART_RESTARTBLOCK", "Interrupted by signal"),
    (517, "EPROBE_DEFER", "Driver requests probe retry"),
    (518, "EOPENSTALE", "Open found a stale dentry"),
    (519, "ENOPARAM", "Parameter not supported"),
    (521, "EBADHANDLE", "Illegal NFS file handle"),
    (522, "ENOTSYNC", "Update synchronization mismatch"),
    (523, "EBADCOOKIE", "Cookie is stale"),
    (524, "ENOTSUPP", "Operation is not supported"),
    (525, "ETOOSMALL", "Buffer or request is too small"),
    (526, "ESERVERFAULT", "An untranslatable error occurred"),
    (527, "EBADTYPE", "Type not supported by server"),
    (528, "EJUKEBOX", "Request initiated, but will not complete before timeout"),
    (529, "EIOCBQUEUED", "iocb queued, will get completion event"),
    (530, "ERECALLCONFLICT", "Conflict with recalled state"),
];

/// Aliases of signals that have a name already, and numbers that are no signal.
const NOT_SIGNALS: &[&str] = &["SIGIOT", "SIGPOLL", "SIGLOST", "SIGUNUSED", "SIGRTMIN", "SIGRTMAX"];

pub fn errors(source: &Source) -> Result<Vec<(u32, String, String)>> {
    let mut found = Vec::new();
    for header in ["errno-base.h", "errno.h"] {
        let header = source.kernel.join("include/uapi/asm-generic").join(header);
        for (number, name) in defines(&header, "E")? {
            found.push((number, name, strerror(number)?));
        }
    }
    found.sort();
    found.extend(RESTART.iter().map(|(number, name, text)| (*number, name.to_string(), text.to_string())));
    Ok(found)
}

pub fn signals(source: &Source) -> Result<Vec<(u32, String)>> {
    let mut found = defines(&source.kernel.join("arch/x86/include/uapi/asm/signal.h"), "SIG")?;
    found.retain(|(number, name)| *number < 32 && !NOT_SIGNALS.contains(&name.as_str()));
    found.sort();
    Ok(found)
}

/// The `#define NAME 12` lines. Aliases refer to another name instead of a number, so they are left out.
fn defines(header: &Path, prefix: &str) -> Result<Vec<(u32, String)>> {
    let text = fs::read_to_string(header).with_context(|| format!("cannot read {}", header.display()))?;
    let mut found = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some("#define"), Some(name), Some(value)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let plain = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        if let (true, true, Ok(number)) = (plain, name.starts_with(prefix), value.parse()) {
            found.push((number, name.to_string()));
        }
    }
    Ok(found)
}

fn strerror(number: u32) -> Result<String> {
    // SAFETY: one thread calls strerror, and the text is copied before the next call.
    #[allow(unsafe_code)]
    let text = unsafe { CStr::from_ptr(libc::strerror(number.try_into()?)) };
    Ok(text.to_str().context("strerror is not text")?.to_string())
}
