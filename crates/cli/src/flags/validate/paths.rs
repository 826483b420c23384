//! `-P`: the paths, as given and as resolved.

use crate::flags::raw_options::RawOptions;
use crate::flags::stop::Warn;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use stride_filter::{PathSet, Quiet};

pub fn resolved(raw: &RawOptions, warn: Warn) -> PathSet {
    // As in strace, -qqq does not count here: it comes too late.
    let quiet = raw.quiet.is_some_and(|quiet| quiet.contains(Quiet::PathResolution));
    let mut paths = PathSet::default();
    for path in &raw.paths {
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

/// Escapes a path as in a C string, because a path may contain any byte and the message goes to a terminal.
fn escape(path: &Path) -> String {
    path.as_os_str().as_bytes().escape_ascii().to_string().replace("\\'", "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped_for_the_terminal() {
        assert_eq!(escape(Path::new("a\n\"b\x1b'")), "a\\n\\\"b\\x1b'");
    }
}
