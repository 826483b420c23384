//! The functions that make calls, as text.

use crate::spelling::quote::{legible, shown};
use stride_event::{CallingFunction, CodeFile, SourceLine};

/// Longer names of functions lose their middle: templates have names of thousands of characters.
const LONGEST: usize = 100;

/// `check_parents (walk.c:41)`; without a line `check_parents (walk)`, with the module; without a name `walk+0x1234`. If an installed package makes the call for the function:
/// `load (app.js:3, package config)`.
pub fn caller_name(caller: &CallingFunction) -> String {
    let name = name_in_parentheses(caller);
    match (&caller.package, name.strip_suffix(')')) {
        (Some(package), Some(open)) => format!("{open}, package {})", short(&plain(package))),
        (Some(package), None) => format!("{name} (package {})", short(&plain(package))),
        (None, _) => name,
    }
}

fn name_in_parentheses(caller: &CallingFunction) -> String {
    let module = caller.module.as_deref().map_or_else(|| "code in no file".into(), module_name);
    let source = caller.source.as_ref().map(line_name);
    match (&caller.function, source) {
        (Some(function), source) => format!("{} ({})", short(&plain(function)), source.unwrap_or(module)),
        (None, Some(source)) => format!("{source} ({module})"),
        (None, None) => caller.offset.map_or(module.clone(), |offset| format!("{module}+{offset:#x}")),
    }
}

/// `walk.c:41`
fn line_name(source: &SourceLine) -> String {
    let file = plain(base_name(&source.file));
    if source.line > 0 { format!("{file}:{}", source.line) } else { file }
}

fn module_name(module: &CodeFile) -> String {
    shown(module.path.rsplit(|&b| b == b'/').next().unwrap_or_default())
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn plain(name: &str) -> String {
    let mut out = Vec::with_capacity(name.len());
    legible(&mut out, name);
    String::from_utf8_lossy(&out).into_owned()
}

fn short(name: &str) -> String {
    let count = name.chars().count();
    if count <= LONGEST {
        return name.to_owned();
    }
    let half = LONGEST / 2;
    name.chars().take(half).chain(['…']).chain(name.chars().skip(count - half)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn names() {
        let module = Some(Arc::new(CodeFile { path: b"/usr/bin/wa\x1blk"[..].into(), build_id: Box::default() }));
        let source = Some(SourceLine { file: "/src/walk.c".into(), line: 41 });
        let caller = CallingFunction { module, function: Some("check".into()), source, offset: None, package: None };
        assert_eq!(caller_name(&caller), "check (walk.c:41)");
        let package = Some("a\x1bb".into());
        let of_package = CallingFunction { package: package.clone(), ..caller.clone() };
        assert_eq!(caller_name(&of_package), "check (walk.c:41, package a\\u{1b}b)");
        let without_line = CallingFunction { source: None, ..caller.clone() };
        assert_eq!(caller_name(&without_line), "check (wa\\33lk)");
        let nameless = CallingFunction { function: None, offset: Some(0x1234), ..without_line.clone() };
        assert_eq!(caller_name(&nameless), "wa\\33lk+0x1234");
        let nameless_of_package = CallingFunction { package, ..nameless.clone() };
        assert_eq!(caller_name(&nameless_of_package), "wa\\33lk+0x1234 (package a\\u{1b}b)");
        let nowhere = CallingFunction { module: None, offset: None, ..nameless };
        assert_eq!(caller_name(&nowhere), "code in no file");
        let hostile = CallingFunction { function: Some("a\x1b[2J\u{202e}b".into()), ..caller.clone() };
        assert_eq!(caller_name(&hostile), "a\\u{1b}[2J\\u{202e}b (walk.c:41)");
        let long = CallingFunction { function: Some("é".repeat(500).into()), ..caller };
        assert_eq!(caller_name(&long).chars().count(), LONGEST + 1 + " (walk.c:41)".len());
    }
}
