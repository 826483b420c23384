//! Circles of modules inside a crate: modules that need each other, so that none can be read or changed without the
//! others.
//!
//! A module is a file. It needs another if it names something of that file: by a path from `crate` or `super`, or by
//! the name of a module of its own. Paths that lead through a `pub use` lead to the file where the thing is.

use super::source::{self, Module};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Circles that may stay, by one module of each. They follow from the nature of types: a type contains structs, which
/// contain types, and decoders follow both. Add none.
const ALLOWED: &[(&str, &str)] = &[("syscalls", "ty"), ("decode", "generic")];

/// Adds a line for each circle of a crate.
pub fn check(dir: &Path, name: &str, wrong: &mut Vec<String>) -> anyhow::Result<()> {
    let modules = source::modules(&dir.join("src"))?;
    for circle in circles(&needs(&modules)) {
        if !ALLOWED.iter().any(|&(crate_name, module)| crate_name == name && circle.contains(module)) {
            let members: Vec<&str> = circle.iter().map(|path| if path.is_empty() { "lib" } else { path }).collect();
            wrong.push(format!("crates/{name}: these modules need each other: {}", members.join(", ")));
        }
    }
    Ok(())
}

/// The modules that each module needs, by their paths within the crate (`rules::hang`).
fn needs(modules: &BTreeMap<String, Module>) -> BTreeMap<&str, BTreeSet<&str>> {
    modules
        .iter()
        .map(|(path, module)| {
            let targets = module.paths.iter().filter_map(|used| resolve(modules, path, used, 0));
            (path.as_str(), targets.filter(|target| target != path).collect())
        })
        .collect()
}

/// The module that defines the thing at the end of a path.
fn resolve<'m>(modules: &'m BTreeMap<String, Module>, from: &str, used: &[String], depth: u32) -> Option<&'m str> {
    let (mut at, mut rest) = match used.first()?.as_str() {
        "crate" => (String::new(), &used[1..]),
        "self" => (from.to_owned(), &used[1..]),
        "super" => (parent(from)?.to_owned(), &used[1..]),
        child if modules.contains_key(&join(from, child)) => (from.to_owned(), used),
        _ => return None,
    };
    while rest.first().is_some_and(|segment| segment == "super") {
        at = parent(&at)?.to_owned();
        rest = &rest[1..];
    }
    while let Some(next) = rest.first().map(|segment| join(&at, segment)).filter(|next| modules.contains_key(next)) {
        at = next;
        rest = &rest[1..];
    }
    let (key, module) = modules.get_key_value(&at)?;
    // A name that this module only re-exports belongs to another module.
    let passed_on = rest.first().and_then(|name| module.passes_on.get(name)).filter(|_| depth < 8);
    match passed_on {
        Some(path) => resolve(modules, key, path, depth + 1),
        None => Some(key),
    }
}

fn parent(path: &str) -> Option<&str> {
    if path.is_empty() { None } else { Some(path.rsplit_once("::").map_or("", |(parent, _)| parent)) }
}

fn join(path: &str, segment: &str) -> String {
    if path.is_empty() { segment.to_owned() } else { format!("{path}::{segment}") }
}

/// The sets of two or more modules of which each reaches all others.
fn circles<'m>(needs: &BTreeMap<&'m str, BTreeSet<&'m str>>) -> Vec<BTreeSet<&'m str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = needs.keys().map(|&from| (from, reach(needs, from))).collect();
    let mut found: Vec<BTreeSet<&str>> = Vec::new();
    for (&from, there) in &reached {
        if found.iter().any(|circle| circle.contains(from)) {
            continue;
        }
        let circle: BTreeSet<&str> = there.iter().copied().filter(|to| reached[to].contains(from)).collect();
        if circle.len() > 1 {
            found.push(circle);
        }
    }
    found
}

fn reach<'m>(needs: &BTreeMap<&'m str, BTreeSet<&'m str>>, from: &'m str) -> BTreeSet<&'m str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        for &needed in &needs[module] {
            if reached.insert(needed) {
                next.push(needed);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(files: &[(&str, &str)]) -> BTreeMap<String, Module> {
        files.iter().map(|(path, text)| ((*path).to_owned(), Module::parse(text))).collect()
    }

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let modules = modules(files);
        circles(&needs(&modules)).iter().map(|circle| circle.iter().copied().collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn two_modules_that_name_each_other() {
        let files = [("", "mod a; mod b;"), ("a", "use crate::b::B;"), ("b", "fn f() { crate::a::g() }")];
        assert_eq!(found(&files), ["a b"]);
        let one_way = [("", "mod a; mod b;"), ("a", "use crate::b::B;"), ("b", "// crate::a::g\nfn f() {}")];
        assert!(found(&one_way).is_empty());
    }

    #[test]
    fn names_that_are_passed_on_belong_to_their_module() {
        let files =
            [("", "mod a; mod b; pub use b::B;"), ("a", "use crate::{B, b::{self, C}};"), ("b", "use super::a::A;")];
        assert_eq!(found(&files), ["a b"]);
        let one_way = [("", "mod a; mod b; pub use a::A;"), ("a", ""), ("b", "use crate::A;")];
        assert!(found(&one_way).is_empty());
    }

    #[test]
    fn a_child_that_needs_its_parent_which_needs_the_child() {
        let files = [("", "mod a;"), ("a", "mod c; use c::C; pub struct P;"), ("a::c", "use super::P;")];
        assert_eq!(found(&files), ["a a::c"]);
    }
}
