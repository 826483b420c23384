//! The files that `--generate` makes.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Artefact {
    Man,
    Bash,
    Zsh,
    Fish,
    JsonSchema,
    AdviseConfig,
    /// The pages of docs/syscalls.
    Syscalls,
}

impl Artefact {
    pub const ALL: [(&'static str, Artefact); 7] = [
        ("advise-config", Artefact::AdviseConfig),
        ("complete-bash", Artefact::Bash),
        ("complete-fish", Artefact::Fish),
        ("complete-zsh", Artefact::Zsh),
        ("json-schema", Artefact::JsonSchema),
        ("man", Artefact::Man),
        ("syscalls", Artefact::Syscalls),
    ];
}
