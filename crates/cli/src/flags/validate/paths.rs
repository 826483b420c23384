//! `-P`: the paths, as given and as resolved.

use crate::flags::draft::Draft;
use crate::flags::stop::Warn;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use stride_filter::{PathSet, Quiet};

pub fn resolved(draft: &Draft, warn: Warn) -> PathSet {
    // As in strace, -qqq does not count here: it comes too late.
    let quiet = draft.quiet.is_some_and(|quiet| quiet.contains(Quiet::PathResolution));
    let mut paths = PathSet::default();
    for path in &draft.paths {
        if is_pattern(path) {
            warn(format!(
                "-P takes a path, not a pattern, and there is no file \"{}\", so no call will match: \
                 give each path a -P of its own",
                escape(Path::new(path))
            ));
        }
        if let Some(resolved) = paths.add(path.clone()).filter(|_| !quiet) {
            warn(format!(
                "Requested path \"{}\" resolved into \"{}\"",
                escape(&resolved.given),
                escape(&resolved.resolved)
            ));
        }
    }
    paths
}

/// Whether a path was probably meant as a glob: it contains glob characters, and no file has that name.
fn is_pattern(path: &OsStr) -> bool {
    path.as_bytes().iter().any(|b| b"*?[".contains(b)) && Path::new(path).symlink_metadata().is_err()
}

/// Escapes a path as in a C string, because a path may contain any byte and the message goes to a terminal.
fn escape(path: &Path) -> String {
    path.as_os_str().as_bytes().escape_ascii().to_string().replace("\\'", "'")
}

#[cfg(test)]
mod tests {
    use super::super::tests::warnings;
    use super::*;

    #[test]
    fn a_glob_is_not_taken_for_a_path_in_silence() {
        for glob in ["/etc/*", "/no/such/?", "/no/[ab]"] {
            let told = warnings(&["-P", glob, "x"]);
            let start =
                format!("-P takes a path, not a pattern, and there is no file \"{glob}\", so no call will match: ");
            assert!(told.len() == 1 && told[0].starts_with(&start), "{told:?}");
        }
        let dir = std::env::temp_dir().join(format!("stride-glob-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let file = dir.join("a*[b]?");
        std::fs::write(&file, "").unwrap();
        let told = warnings(&["-P", file.to_str().unwrap(), "-P", "/no/such/file", "x"]);
        std::fs::remove_dir_all(&dir).unwrap();
        assert_eq!(told, [""; 0]);
    }

    #[test]
    fn paths_are_escaped_for_the_terminal() {
        assert_eq!(escape(Path::new("a\n\"b\x1b'")), "a\\n\\\"b\\x1b'");
    }
}
