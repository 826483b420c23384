//! `--generate`: files made from the tables of options and of system calls, for packagers of Stride.

use super::artefact::Artefact;
use super::{complete, man};

pub fn text(artefact: Artefact) -> String {
    match artefact {
        Artefact::Man => man::page(),
        Artefact::Bash => complete::bash::script(),
        Artefact::Zsh => complete::zsh::script(),
        Artefact::Fish => complete::fish::script(),
        Artefact::AdviseConfig => stride_advise::config::defaults(),
        Artefact::JsonSchema => stride_output::json::schema::text(),
    }
}

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
}
