//! The files that `--generate` makes.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Artefact {
    Man,
    Bash,
    Zsh,
    Fish,
    JsonSchema,
    AdviseConfig,
}

impl Artefact {
    pub const ALL: [(&'static str, Artefact); 6] = [
        ("advise-config", Artefact::AdviseConfig),
        ("complete-bash", Artefact::Bash),
        ("complete-fish", Artefact::Fish),
        ("complete-zsh", Artefact::Zsh),
        ("json-schema", Artefact::JsonSchema),
        ("man", Artefact::Man),
    ];
}
