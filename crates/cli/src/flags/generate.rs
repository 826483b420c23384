//! `--generate`: files made from the tables of options and of system calls, for packagers of Stride.

use super::artefact::Artefact;
use super::{complete, man};
use stride_output::reference;

pub fn text(artefact: Artefact) -> String {
    match artefact {
        Artefact::Man => man::page(),
        Artefact::Bash => complete::bash::script(),
        Artefact::Zsh => complete::zsh::script(),
        Artefact::Fish => complete::fish::script(),
        Artefact::AdviseConfig => stride_advise::config::defaults(),
        Artefact::JsonSchema => stride_output::json::schema::text(),
        Artefact::Syscalls => {
            reference::pages().iter().map(|page| format!("{PAGE}{}\n{}", page.name, page.text)).collect()
        }
    }
}

/// The beginning of the line before a page, which names its file. (No line of a page begins with a form feed.)
const PAGE: &str = "\x0c";

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// The generated files are committed, so that they can be read without a build.
    #[test]
    fn committed_files_are_fresh() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (path, artefact) in [
            ("docs/json.schema.json", Artefact::JsonSchema),
            ("docs/advise.toml", Artefact::AdviseConfig),
            ("docs/stride.1", Artefact::Man),
            ("completions/stride.bash", Artefact::Bash),
            ("completions/_stride", Artefact::Zsh),
            ("completions/stride.fish", Artefact::Fish),
        ] {
            let committed = fs::read_to_string(root.join(path)).unwrap_or_default();
            assert!(committed == text(artefact), "{path} is out of date: run `cargo xtask docs`");
        }
    }

    #[test]
    fn the_committed_reference_is_fresh() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/syscalls");
        let mut pages: Vec<String> = Vec::new();
        for page in reference::pages() {
            let committed = fs::read_to_string(directory.join(&page.name)).unwrap_or_default();
            assert!(committed == page.text, "docs/syscalls/{} is out of date: run `cargo xtask docs`", page.name);
            pages.push(page.name);
        }
        pages.sort();
        let mut committed: Vec<String> = fs::read_dir(directory)
            .expect("docs/syscalls exists")
            .map(|entry| entry.expect("the directory can be read").file_name().into_string().expect("names are ASCII"))
            .collect();
        committed.sort();
        assert_eq!(committed, pages, "files in docs/syscalls");
    }
}
