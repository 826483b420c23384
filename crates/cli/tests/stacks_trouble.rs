//! Stacks where something is in the way (`-k`): files that are gone, processes that hide, too much of everything. Names
//! are missing then, and never wrong.

mod common;

use common::stacks::{Frame, built, compile, functions, known_frames};
use common::*;
use std::path::{Path, PathBuf};
use std::process::Command;

fn marked(trace: &str) -> Vec<Vec<Frame>> {
    known_frames(trace, "\"marked")
}

/// Libraries for crowd.c: copies of one file.
fn libraries(scratch: &Scratch, count: usize) -> Vec<PathBuf> {
    let paths: Vec<_> = (0..count).map(|i| scratch.path(&format!("library{i}"))).collect();
    assert!(built(&paths[0], "visit.c", &["-shared", "-fPIC", "-O1", "-g"]));
    for path in &paths[1..] {
        std::fs::copy(&paths[0], path).unwrap();
    }
    paths
}

/// True if a stack has the function and the line of a library.
fn visits(stack: &[Frame], library: &Path) -> bool {
    let of_library = |frame: &&Frame| library.file_name().is_some_and(|name| *name == *frame.module);
    stack.iter().find(of_library).is_some_and(|frame| frame.symbol == "tell" && frame.source.contains("visit.c:"))
}

/// Stride has few of the modules' files open at a time.
#[test]
fn few_open_files_are_enough() {
    let scratch = Scratch::new("stacks-files");
    compile!(&scratch, "crowd.c", &["-O1", "-ldl"]);
    let libraries = libraries(&scratch, 300);
    let mut command = Command::new("sh");
    command.current_dir(scratch.path("")).env("LC_ALL", "C").args(["-c", "ulimit -n 200 && exec \"$@\"", "sh", STRIDE]);
    command.args(["--engine=ptrace", "-kk", "-f", "-o", "trace", "-e", "trace=write"]).arg(scratch.path("program"));
    command.arg("1").args(&libraries);
    let run = Run::of(command);
    assert_eq!(run.code(), Some(0), "{run:?}");
    let stacks = marked(&scratch.read("trace"));
    assert_eq!(stacks.len(), libraries.len());
    let wrong = stacks.iter().zip(&libraries).find(|(stack, library)| !visits(stack, library));
    assert!(wrong.is_none(), "{wrong:?}");
}

/// 500 processes with 50 modules each.
#[test]
fn memory_is_bounded() {
    let scratch = Scratch::new("stacks-memory");
    compile!(&scratch, "crowd.c", &["-O1", "-ldl"]);
    let libraries = libraries(&scratch, 50);
    for engine in engines() {
        let mut command = watched(&scratch);
        command.args([engine, "-kk", "-f", "-o", "trace", "-e", "trace=write"]);
        command.arg(scratch.path("program")).arg("500").args(&libraries);
        let run = Run::of(command);
        assert_eq!(run.code(), Some(0), "{run:?}");
        assert_eq!(scratch.read("trace").matches(" write(-1, ").count(), 500 * 50);
        let peak = peak(&scratch);
        assert!(peak <= 300 << 10, "{engine}: {peak} kB");
    }
}

/// Stride, with its peak of memory in a file. Options are to follow.
fn watched(scratch: &Scratch) -> Command {
    let mut command = Command::new("sh");
    let watch = "\"$@\" & stride=$!
        while kill -0 $stride 2>/dev/null; do grep VmHWM /proc/$stride/status >peak.new && mv peak.new peak; sleep 0.02; done
        wait $stride";
    command.current_dir(scratch.path("")).env("LC_ALL", "C").args(["-c", watch, "sh", STRIDE]);
    command
}

/// That peak in kB.
fn peak(scratch: &Scratch) -> u64 {
    scratch.read("peak").split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// 15,000 stacks of code that the program makes, all different, and 200 frames each.
#[test]
#[cfg(target_arch = "x86_64")]
fn ever_other_stacks() {
    let scratch = Scratch::new("stacks-wander");
    compile!(&scratch, "wander.c", &["-O1"]);
    for engine in engines() {
        let mut command = watched(&scratch);
        command.args([engine, "-k", "-o", "trace", "-e", "trace=getppid"]);
        command.arg(scratch.path("program")).args(["15000", "200"]);
        let run = Run::of(command);
        assert_eq!(run.code(), Some(0), "{run:?}");
        let trace = scratch.read("trace");
        let stacks: Vec<&str> = trace.split("getppid()").skip(1).collect();
        assert_eq!(stacks.len(), 15_000);
        // The frames of the functions that were made, and main's behind them.
        let whole = stacks.iter().filter(|stack| stack.lines().count() >= 202 && stack.contains("program(main+"));
        assert_eq!(whole.count(), 15_000, "{engine}");
        let peak = peak(&scratch);
        assert!(peak <= 128 << 10, "{engine}: {peak} kB");
    }
}

#[test]
fn code_in_65000_places() {
    let scratch = Scratch::new("stacks-places");
    compile!(&scratch, "many-maps.c", &["-O1"]);
    for engine in engines() {
        let run =
            scratch.stride([engine, "-k", "-e", "trace=write", &*scratch.path("program").to_string_lossy(), "40000"]);
        assert_eq!(run.code(), Some(0), "{run:?}");
        let stacks = marked(&run.trace);
        assert_eq!(stacks.len(), 3);
        if engine.contains("ptrace") {
            assert_eq!(functions(&stacks[0], "program"), ["tell", "main", "_start"], "{}", run.trace);
        }
    }
}

#[test]
fn a_process_that_hides() {
    let copy = PublicCopy::new("stacks-secret");
    let scratch = Scratch::public("stacks-hides");
    compile!(&scratch, "secret.c", &["-O1"]);
    let mut command = or_skip!(as_nobody());
    command.arg(copy.stride()).args(["--engine=ptrace", "-k", "-e", "trace=write"]).arg(scratch.path("program"));
    let run = Run::of(command);
    assert_eq!(run.code(), Some(0), "{run:?}");
    let shown: Vec<_> = run.err.split("write(1, ").skip(1).collect();
    assert_eq!(shown.len(), 2, "{run:?}");
    assert!(shown[0].contains("/program(tell+0x"), "{run:?}");
}

#[test]
fn a_program_that_is_replaced() {
    let scratch = Scratch::public("stacks-replaced");
    compile!(&scratch, "replace.c", &["-O1"]);
    let copy = PublicCopy::new("stacks-replacing");
    let program = scratch.path("program");
    copy_program(&program, scratch.path("kept"));
    let other = scratch.path("other");
    // The other program has other functions at these addresses.
    let prepare = || {
        copy_program(scratch.path("kept"), &program);
        assert!(built(&other, "calls.c", &["-O1"]));
        assert!(Command::new("chmod").arg("-R").arg("a+rwX").arg(scratch.path("")).status().unwrap().success());
    };
    for engine in engines() {
        prepare();
        let args = [engine, "-k", "-e", "trace=write"].map(PathBuf::from);
        let run = scratch.stride(args.iter().chain([&program, &other, &program]));
        let stack = marked(&run.trace).remove(0);
        let own = functions(&stack, "program");
        if is_root() && engine.contains("ptrace") {
            assert_eq!(own[..2], ["tell", "main"], "{}", run.trace);
        }
        assert!(own.iter().all(|name| ["tell", "main", "_start", ""].contains(name)), "{}", run.trace);
    }
    // Only root may open the file behind a mapping. Others find another file under its name.
    prepare();
    let mut command = or_skip!(as_nobody());
    command.arg(copy.stride()).args(["--engine=ptrace", "-k", "-e", "trace=write"]).args([&program, &other, &program]);
    let run = Run::of(command);
    assert_eq!(run.code(), Some(0), "{run:?}");
    let frames: Vec<_> = run.err.lines().filter(|line| line.contains("/program(")).collect();
    let named = |line: &&&str| !line.contains("/program() [");
    assert!(
        !frames.is_empty()
            && frames
                .iter()
                .filter(named)
                .all(|line| line.contains("tell+") || line.contains("main+") || line.contains("_start+")),
        "{run:?}"
    );
}

/// A program in a mount namespace with another root directory, where the same names stand for other files.
#[test]
fn a_container() {
    let scratch = Scratch::new("stacks-container");
    compile!(&scratch, "calls.c", &["-O1", "-static"]);
    let inside = "mount -t tmpfs none root && cp program root/program && exec chroot root /program";
    std::fs::create_dir(scratch.path("root")).unwrap();
    let able = Command::new("unshare").args(["--mount", "true"]).output();
    if !is_root() || !able.is_ok_and(|output| output.status.success()) {
        skip!("no mount namespaces");
    }
    for engine in engines() {
        let run = scratch.stride([engine, "-f", "-k", "-e", "trace=write", "unshare", "--mount", "sh", "-c", inside]);
        let stack = marked(&run.trace).remove(0);
        assert!(stack.iter().all(|frame| frame.module == "program"), "{}", run.trace);
        let names = functions(&stack, "program");
        if engine.contains("ptrace") {
            assert!(names.windows(3).any(|f| f == ["two", "one", "main"]), "{}", run.trace);
        }
    }
}

/// Debug information in separate files, as distributions ship it: found by the build id.
#[test]
fn debug_information_elsewhere() {
    let scratch = Scratch::new("stacks-separate");
    compile!(&scratch, "calls.c", &["-O1", "-g", &own_build_id()]);
    let program = scratch.path("program");
    let debug = separated(&program);
    if !is_root() {
        skip!("only root may write to /usr/lib/debug");
    }
    let Some((id, debug)) = debug else { skip!("no objcopy, or no readelf") };
    let home = Path::new("/usr/lib/debug/.build-id").join(&id[..2]);
    let file = home.join(format!("{}.debug", &id[2..]));
    struct Removed(PathBuf);
    impl Drop for Removed {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }
    let trace = || scratch.stride(["--engine=ptrace", "-kk", "-e", "trace=write", &*program.to_string_lossy()]).trace;
    let without = trace();
    assert_eq!(marked(&without)[0][1].symbol, "", "{without}");
    std::fs::create_dir_all(&home).unwrap();
    let _removed = Removed(file.clone());
    std::fs::copy(&debug, &file).unwrap();
    let with = trace();
    let stack = marked(&with).remove(0);
    assert_eq!(functions(&stack, "program")[..6], ["three", "two", "two", "two", "one", "main"], "{with}");
    assert!(stack[1].source.contains("calls.c:"), "{with}");
}

/// The linker's option for a build id that no other program has, so that a test that was killed leaves no trace for the
/// next.
fn own_build_id() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    format!("-Wl,--build-id=0x{:032x}{:08x}", now.as_nanos(), std::process::id())
}

/// Strips a program, and returns its build id and the file with its debug information.
fn separated(program: &Path) -> Option<(String, PathBuf)> {
    let debug = program.with_extension("debug");
    let run = |name: &str, args: &[&str]| {
        let output = Command::new(name).args(args).output().ok().filter(|output| output.status.success())?;
        Some(text(&output.stdout))
    };
    let (of, to) = (program.to_str()?, debug.to_str()?);
    let notes = run("readelf", &["-n", of])?;
    let id = notes.split("Build ID: ").nth(1)?.split_whitespace().next()?.to_owned();
    run("objcopy", &["--only-keep-debug", of, to])?;
    run("objcopy", &["--strip-all", of])?;
    Some((id, debug))
}

/// An answer of a server: the file of this build, and nothing for others.
fn serve(listener: &std::net::TcpListener, id: &str, content: &[u8]) -> Vec<String> {
    use std::io::{BufRead, BufReader, Write};
    let mut asked = Vec::new();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
        let request = lines.next().unwrap_or_default();
        if request.starts_with("STOP") {
            break;
        }
        lines.take_while(|line| !line.is_empty()).for_each(drop);
        let known = request.contains(&format!("/buildid/{id}/debuginfo"));
        let (status, body) = if known { ("200 OK", content) } else { ("404 Not Found", &b""[..]) };
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        let answered = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        if answered.is_ok() {
            asked.push(request);
        }
    }
    asked
}

#[test]
fn debug_information_from_a_server() {
    let scratch = Scratch::new("stacks-server");
    compile!(&scratch, "calls.c", &["-O1", "-g", &own_build_id()]);
    let program = scratch.path("program");
    let Some((id, debug)) = separated(&program) else { skip!("no objcopy, or no readelf") };
    if !Command::new("debuginfod-find").arg("-V").output().is_ok_and(|output| output.status.success()) {
        skip!("no debuginfod-find");
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let content = std::fs::read(debug).unwrap();
    let server = std::thread::spawn(move || serve(&listener, &id, &content));
    let trace = |options: &[&str]| {
        let mut command = stride();
        command.current_dir(scratch.path("")).env("DEBUGINFOD_URLS", format!("http://{address}"));
        command.env("DEBUGINFOD_CACHE_PATH", scratch.path("cache")).args(["-o", "trace", "-kk", "-e", "trace=write"]);
        let run = Run::of({
            command.args(options).arg(&program);
            command
        });
        assert_eq!(run.code(), Some(0), "{run:?}");
        marked(&scratch.read("trace")).remove(0)
    };
    // Nobody is asked unless the user wants that.
    assert_eq!(trace(&[])[1].symbol, "");
    let stack = trace(&["--debuginfod"]);
    std::io::Write::write_all(&mut std::net::TcpStream::connect(address).unwrap(), b"STOP\r\n").unwrap();
    let asked = server.join().unwrap();
    assert_eq!(functions(&stack, "program")[..6], ["three", "two", "two", "two", "one", "main"], "{stack:?} {asked:?}");
    assert!(stack[1].source.contains("calls.c:"), "{stack:?}");
    assert!(!asked.is_empty());
}

#[test]
fn no_way_to_a_server() {
    let scratch = Scratch::new("stacks-no-server");
    let refused = |urls: &str, path: &str| {
        let mut command = stride();
        command.env("DEBUGINFOD_URLS", urls).env("PATH", path).args(["-k", "--debuginfod", "/bin/echo", "ran"]);
        let run = Run::of(command);
        assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{run:?}");
        run.messages().join("\n")
    };
    let empty = scratch.path("");
    let message = refused("", "/usr/bin:/bin");
    assert!(message.contains("DEBUGINFOD_URLS is not set"), "{message}");
    let message = refused("http://127.0.0.1:1", &empty.to_string_lossy());
    assert!(message.contains("debuginfod-find, which is not installed"), "{message}");
}

/// Go programs without symbol table and DWARF still have the table of Go's runtime.
#[test]
fn go_without_symbols() {
    let scratch = Scratch::new("stacks-go");
    let source = root().join("tests/stacks/deep.go");
    for flags in ["-s -w", ""] {
        let mut go = Command::new("go");
        go.args(["build", "-ldflags", flags, "-o"]).arg(scratch.path("program")).arg(&source).env("CGO_ENABLED", "0");
        if !go.output().is_ok_and(|output| output.status.success()) {
            skip!("no Go compiler");
        }
        for engine in engines() {
            let run =
                scratch.stride([engine, "-f", "-k", "-e", "trace=write", &*scratch.path("program").to_string_lossy()]);
            let stacks = marked(&run.trace);
            assert_eq!(stacks.len(), 10, "{}", run.trace);
            for stack in &stacks {
                let own: Vec<_> = functions(stack, "program").into_iter().filter(|f| f.starts_with("main.")).collect();
                let expected = ["main.tell", "main.deep", "main.deep", "main.deep", "main.main"];
                // The program is short. Without stopping it, Stride may read too late what code it maps.
                let right = own == expected || !engine.contains("ptrace") && own.is_empty();
                assert!(right, "{flags} {engine} {}", run.trace);
            }
        }
    }
}
