use super::*;
use std::time::Duration;

const PIECE: Extent = Extent::Bytes(4096);

struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let dir = std::env::temp_dir().join(format!("stride-rotation-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        Dir(dir)
    }

    fn log(&self, every: Extent, count: u32, repeats_first: bool) -> RotatedText {
        let path = self.0.join("log");
        let file = File::create(&path).unwrap();
        RotatedText::new(&path, file, Rotation { every, count }, repeats_first).unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn lines_are_never_cut_and_no_more_files_are_kept() {
    let dir = Dir::new("lines");
    let mut log = dir.log(PIECE, 3, false);
    // Pieces end anywhere, also within lines.
    let text: String = (0..3000).map(|i| format!("line {i} {}\n", "x".repeat(i % 40))).collect();
    for piece in text.as_bytes().chunks(700) {
        log.write_all(piece).unwrap();
    }
    assert_eq!(dir.names(), ["log", "log.1", "log.2"]);
    let all = [dir.read("log.2"), dir.read("log.1"), dir.read("log")];
    for file in &all {
        assert!(file.len() <= 4096 && file.starts_with("line ") && file.ends_with('\n'), "{}", file.len());
    }
    assert!(all[1].len() > 3900);
    assert!(text.ends_with(&all.concat()));
}

#[test]
fn a_line_longer_than_a_file_is_whole() {
    let dir = Dir::new("long");
    let mut log = dir.log(PIECE, 4, false);
    let long = format!("{}\n", "y".repeat(10_000));
    for piece in [b"a\n".as_slice(), long.as_bytes(), b"b\n"] {
        log.write_all(piece).unwrap();
    }
    assert_eq!((dir.read("log.2"), dir.read("log.1"), dir.read("log")), ("a\n".into(), long, "b\n".into()));
}

#[test]
fn each_file_begins_with_the_first_line() {
    let dir = Dir::new("first");
    let mut log = dir.log(PIECE, 2, true);
    log.write_all(b"{\"type\":\"trace\"}\n").unwrap();
    for i in 0..1000 {
        log.write_all(format!("{{\"n\":{i}}}\n").as_bytes()).unwrap();
    }
    for name in ["log", "log.1"] {
        assert!(dir.read(name).starts_with("{\"type\":\"trace\"}\n{\"n\":"), "{name}");
    }
}

#[test]
fn by_time_a_file_ends_with_a_line() {
    let dir = Dir::new("time");
    let mut log = dir.log(Extent::Time(Duration::from_millis(1)), 2, false);
    log.write_all(b"one, ").unwrap();
    std::thread::sleep(Duration::from_millis(2));
    log.write_all(b"two\nthree\n").unwrap();
    assert_eq!((dir.read("log.1"), dir.read("log")), ("one, two\n".into(), "three\n".into()));
}

#[test]
fn one_file_is_begun_anew() {
    let dir = Dir::new("one");
    let mut log = dir.log(PIECE, 1, false);
    (0..1000).for_each(|i| log.write_all(format!("line {i}\n").as_bytes()).unwrap());
    assert_eq!(dir.names(), ["log"]);
    assert!(dir.read("log").ends_with("line 999\n"));
}

#[test]
fn failures_say_which_name_is_in_the_way() {
    let dir = Dir::new("way");
    let mut log = dir.log(PIECE, 3, false);
    log.write_all(&[b'x'; 4095]).unwrap();
    log.write_all(b"\n").unwrap();
    fs::create_dir(dir.0.join("log.1")).unwrap();
    fs::write(dir.0.join("log.1/file"), "").unwrap();
    fs::write(dir.0.join("log.2"), "").unwrap();
    let error = log.write_all(b"more\n").unwrap_err().to_string();
    assert!(error.contains("log.1' cannot be renamed to") && error.contains("log.2'"), "{error}");
    fs::remove_dir_all(&dir.0).unwrap();
    let error = log.write_all(b"more\n").unwrap_err().to_string();
    assert!(error.contains("cannot be renamed") && error.contains("No such file"), "{error}");
}

#[test]
fn names_that_are_taken_are_refused_before() {
    let dir = Dir::new("taken");
    let (log, other) = (dir.0.join("log"), dir.0.join("log.2"));
    let rotation = Rotation { every: PIECE, count: 4 };
    let named = [NamedFile { option: "--html".into(), path: &other, how: Use::Trace }];
    let message = rotation.check(&named, "-o", &log).unwrap_err().to_string();
    assert!(message.contains("--html names: give one of them another name"), "{message}");
    assert!(rotation.check(&[], "-o", &log).is_ok());
    fs::create_dir(&other).unwrap();
    let message = rotation.check(&[], "-o", &log).unwrap_err().to_string();
    assert!(message.contains("no regular file: move it away"), "{message}");
    let message = rotation.check(&[], "-o", Path::new("/dev/null")).unwrap_err().to_string();
    assert!(message.contains("'/dev/null' of -o is no regular file"), "{message}");
}
