//! Documents that name what is there: links of Markdown, quoted paths, commands that run a test, and lists of modules
//! and folders.

use super::source;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Directories of the repository whose paths are checked wherever they are quoted.
const TOPS: &[&str] =
    &["crates", "tests", "docs", "xtask", "scripts", "packaging", "ci", "fuzz", "integrations", "completions"];
/// Documents that tell of the past.
const PAST: &[&str] = &["CHANGELOG.md"];
/// Paths that are examples, are made by a command, or lie in the kernel's repository.
const ELSEWHERE: &[&str] = &["crates/NAME", "fuzz/corpus", "fuzz/kept", "scripts/syscall.tbl"];

pub fn check(root: &Path, wrong: &mut Vec<String>) -> Result<()> {
    for file in markdown(root)? {
        let text = fs::read_to_string(&file)?;
        let shown = file.strip_prefix(root)?.display().to_string();
        links(&file, &text, &shown, wrong)?;
        if !PAST.contains(&shown.as_str()) {
            quoted_paths(root, &[root, &root.join("crates"), parent(&file)], &text, &shown, wrong);
            quoted_tests(root, &text, &shown, wrong);
        }
    }
    for entry in fs::read_dir(root.join("crates"))?.chain(fs::read_dir(root.join("xtask"))?) {
        let dir = entry?.path();
        if !dir.is_dir() || dir.ends_with("uapi") {
            continue;
        }
        for file in source::files(&dir)? {
            let text = fs::read_to_string(&file)?;
            let shown = file.strip_prefix(root)?.display().to_string();
            quoted_paths(root, &[root, &root.join("crates"), &dir, parent(&file)], &text, &shown, wrong);
        }
        let library = dir.join("src/lib.rs");
        if let Ok(text) = fs::read_to_string(&library) {
            let shown = library.strip_prefix(root)?.display().to_string();
            module_lists(&text, &shown, wrong);
            folders(&dir.join("src"), &text, &shown, wrong);
        }
    }
    Ok(())
}

fn parent(file: &Path) -> &Path {
    file.parent().unwrap_or(file)
}

/// The Markdown files that are not made by a command and not below a directory of builds.
fn markdown(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).with_context(|| directory.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.starts_with('.') && !["target", "syscalls", "node_modules"].contains(&name.as_str()) {
                    directories.push(path);
                }
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Adds a line for each link of a document that leads nowhere.
fn links(file: &Path, text: &str, shown: &str, wrong: &mut Vec<String>) -> Result<()> {
    for target in targets(text) {
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let to = if path.is_empty() { file.to_owned() } else { parent(file).join(path) };
        if !to.exists() {
            wrong.push(format!("{shown}: the link to {target} leads nowhere"));
        } else if !anchor.is_empty() && to.extension().is_some_and(|extension| extension == "md") {
            let headings: BTreeSet<String> = headings(&fs::read_to_string(&to)?).collect();
            if !headings.contains(anchor) {
                wrong.push(format!("{shown}: the link to {target} names no heading there"));
            }
        }
    }
    Ok(())
}

/// The targets of links and pictures that are files of the repository.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let linked = prose(text)
        .flat_map(|line| line.split("](").skip(1))
        .map(|rest| rest.split([')', ' ']).next().unwrap_or_default());
    let pictures =
        prose(text).flat_map(|line| ["src=\"", "srcset=\""].into_iter().flat_map(|key| line.split(key).skip(1)));
    let pictures = pictures.map(|rest| rest.split('"').next().unwrap_or_default());
    linked.chain(pictures).filter(|target| !target.is_empty() && !target.contains(':'))
}

/// The lines of a document outside its blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

/// The anchors of a document's headings, as Markdown's renderers make them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let title = |line: &str| line.starts_with('#').then(|| line.trim_start_matches('#').trim().to_lowercase());
    let anchor = |title: String| -> String {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    prose(text).filter_map(title).map(anchor)
}

/// Adds a line for each path of the repository that the text quotes and that does not exist.
fn quoted_paths(root: &Path, from: &[&Path], text: &str, shown: &str, wrong: &mut Vec<String>) {
    for word in text.split(|c: char| !c.is_ascii_alphanumeric() && !"_-./{}*,<>$".contains(c)) {
        let word = word.trim_end_matches(['.', ',']);
        let Some((top, rest)) = word.split_once('/') else { continue };
        let is_plain = !rest.is_empty() && !word.contains(['{', '}', '*', '<', '>', '$', ',']) && !word.contains("..");
        let is_example = rest.chars().any(char::is_uppercase) && !rest.ends_with(".md")
            || ELSEWHERE.iter().any(|begin| word.starts_with(begin));
        // Some documents name a crate without the directory of all crates.
        let in_crate = !top.is_empty()
            && ["src/", "tests/", "benches/", "examples/"].iter().any(|part| rest.starts_with(part))
            && root.join("crates").join(top).is_dir();
        if !(TOPS.contains(&top) && root.join(top).is_dir() || in_crate) || !is_plain || is_example {
            continue;
        }
        if !from.iter().any(|place| place.join(word).exists() || place.join(format!("{word}.rs")).exists()) {
            wrong.push(format!("{shown}: names {word}, which does not exist"));
        }
    }
}

/// Adds a line for each command in the text that runs a test file which does not exist: `-p stride-cli --test options`.
fn quoted_tests(root: &Path, text: &str, shown: &str, wrong: &mut Vec<String>) {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c == '`').collect();
    for command in words.windows(4) {
        let [first, package, option, test] = command else { continue };
        let Some(name) = package.strip_prefix("stride-").filter(|_| (*first, *option) == ("-p", "--test")) else {
            continue;
        };
        let tests = root.join("crates").join(name).join("tests");
        if !tests.join(format!("{test}.rs")).exists() && !tests.join(test).join("main.rs").exists() {
            wrong.push(format!("{shown}: names the test {test} of {package}, which does not exist"));
        }
    }
}

/// Adds a line for each folder or file that a crate's introduction names and that its sources lack, and for each folder
/// that a table of folders lacks.
fn folders(src: &Path, text: &str, shown: &str, wrong: &mut Vec<String>) {
    let introduction = text.lines().filter_map(|line| line.strip_prefix("//!"));
    let quoted: BTreeSet<&str> = introduction.clone().flat_map(|line| line.split('`').skip(1).step_by(2)).collect();
    for name in &quoted {
        let is_path = name.chars().all(|c| c.is_ascii_lowercase() || "_/".contains(c))
            && name.ends_with('/')
            && !name.starts_with('/');
        // (The root of the repository has folders, too.)
        let root = parent(parent(parent(src)));
        if is_path && ![src, parent(src), root].iter().any(|place| place.join(name).is_dir()) {
            wrong.push(format!("{shown}: names the folder {name}, which does not exist"));
        }
    }
    if introduction.clone().any(|line| line.trim() == "| folder | contents |") {
        for entry in fs::read_dir(src).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir()) {
            let name = format!("{}/", entry.file_name().to_string_lossy());
            if !quoted.contains(name.as_str()) {
                wrong.push(format!("{shown}: the table of folders lacks `{name}`"));
            }
        }
    }
}

/// Adds a line for each module that a list in the crate's introduction lacks, or has wrongly.
fn module_lists(text: &str, shown: &str, wrong: &mut Vec<String>) {
    let introduction: String = text.lines().filter(|line| line.starts_with("//!")).collect::<Vec<_>>().join("\n");
    let quoted = |part: &str| -> BTreeSet<String> { part.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    if introduction.contains("The files") {
        let names = quoted(&introduction);
        for module in modules(text, false) {
            if !names.contains(&module) {
                wrong.push(format!("{shown}: the list of files lacks `{module}`"));
            }
        }
    }
    if let Some((_, rest)) = introduction.split_once("`unsafe` only in ") {
        let listed = quoted(rest.split([';', '.']).next().unwrap_or_default());
        let unsafe_ones: BTreeSet<String> = modules(text, true).collect();
        if listed != unsafe_ones {
            wrong.push(format!("{shown}: `unsafe` is said to be in {listed:?}, and allowed in {unsafe_ones:?}"));
        }
    }
}

/// The modules that a library declares: all, or those in which `unsafe` is allowed.
fn modules(text: &str, unsafe_only: bool) -> impl Iterator<Item = String> {
    let lines = text.lines().zip(std::iter::once("").chain(text.lines()));
    lines.filter_map(move |(line, before)| {
        let name = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';')?;
        (!unsafe_only || before.contains("allow(unsafe_code)")).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_anchors_are_found() {
        let text = "# A Title: `x`!\n[a](b.md#c), ![p](p.svg)\n```\n[no](code.md)\n```\n<img src=\"q.png\">\n[out](https://x.org/y)";
        assert_eq!(targets(text).collect::<Vec<_>>(), ["b.md#c", "p.svg", "q.png"]);
        assert_eq!(headings(text).collect::<Vec<_>>(), ["a-title-x"]);
    }

    #[test]
    fn paths_that_do_not_exist_are_told() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut wrong = Vec::new();
        let text = "`docs/LOST`, `xtask/src/check/mod.rs`, tests/advise/NAME.c, docs/syscalls/, crates/*/src"
            .replace("LOST", "lost.md");
        quoted_paths(&root, &[&root], &text, "x.md", &mut wrong);
        assert_eq!(wrong, [format!("x.md: names docs/{}, which does not exist", "lost.md")]);
    }

    #[test]
    fn paths_without_the_directory_of_crates_are_looked_at() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (mut wrong, crates) = (Vec::new(), root.join("crates"));
        let text = "`cli/src/LOST.rs` `cli/src/main.rs` and/or this/src/thing".replace("LOST", "lost");
        quoted_paths(&root, &[&root, &crates], &text, "x.md", &mut wrong);
        assert_eq!(wrong, [format!("x.md: names cli/src/{}.rs, which does not exist", "lost")]);
    }

    #[test]
    fn tests_and_folders_that_do_not_exist_are_told() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut wrong = Vec::new();
        quoted_tests(
            &root,
            "`cargo test -p stride-cli --test options NAME`, `-p stride-cli --test nowhere`",
            "x.md",
            &mut wrong,
        );
        assert_eq!(wrong, ["x.md: names the test nowhere of stride-cli, which does not exist"]);
        wrong.clear();
        let text = "//! | folder | contents |\n//! |---|---|\n//! | `nowhere/` | |\n//! | `chaos/` | |\n";
        folders(&root.join("xtask/src"), text, "lib.rs", &mut wrong);
        assert!(wrong[0].contains("names the folder nowhere/"), "{wrong:?}");
        assert!(wrong.iter().any(|line| line.contains("lacks `check/`")), "{wrong:?}");
    }

    #[test]
    fn lists_of_modules_are_compared() {
        let text = "//! The files: `a` and `b`.\n//! `unsafe` only in `a`.\nmod a;\n#[allow(unsafe_code)]\npub mod b;\nmod c;\n";
        let mut wrong = Vec::new();
        module_lists(text, "lib.rs", &mut wrong);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].contains("lacks `c`") && wrong[1].contains("{\"b\"}"), "{wrong:?}");
    }
}
