//! The kinds of secrets.

/// The kinds of secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    /// A key or token whose form is known: `ghp_...`, `AKIA...`, `eyJ...`.
    Token,
    /// A private key.
    PrivateKey,
    /// The value of a name: `DB_PASSWORD=...`, `"token": "..."`, `--password ...`.
    Value,
    /// What a request authenticates with: `Authorization:`, `Cookie:`, `AUTH`.
    Credentials,
    /// A part of a URL.
    Url,
    /// The hash of a password.
    Hash,
    /// The data of a file that holds secrets.
    File,
    /// What the user asked for.
    Own,
    /// A text or data that is no path, if only paths are shown (`--paths-only`).
    Text,
}

impl SecretKind {
    /// The words for one and for several.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            SecretKind::Token => ("token", "tokens"),
            SecretKind::PrivateKey => ("private key", "private keys"),
            SecretKind::Value => ("value of a secret's name", "values of secrets' names"),
            SecretKind::Credentials => ("request's credentials", "requests' credentials"),
            SecretKind::Url => ("part of a URL", "parts of URLs"),
            SecretKind::Hash => ("hash of a password", "hashes of passwords"),
            SecretKind::File => ("piece of a file of secrets", "pieces of files of secrets"),
            SecretKind::Own => ("match of your own patterns", "matches of your own patterns"),
            SecretKind::Text => ("text or piece of data that is no path", "texts and pieces of data that are no paths"),
        }
    }
}
