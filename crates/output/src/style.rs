//! How text looks: the options that change spelling and nothing else.

/// `-X`: how named values are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NameStyle {
    /// Numbers only.
    Raw,
    /// Names.
    #[default]
    Abbrev,
    /// Numbers with their names in a comment.
    Verbose,
}

/// `-x` and `-xx`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HexStrings {
    #[default]
    Never,
    /// Strings with a byte that is not ASCII text.
    NonAscii,
    /// `non-ascii-chars`: only those bytes.
    NonAsciiChars,
    All,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    pub names: NameStyle,
    pub hex_strings: HexStrings,
    /// `-N`: arguments are preceded by their names.
    pub arg_names: bool,
    /// Inside a comment, which cannot hold another: what has no name says no more than its number.
    pub in_comment: bool,
}
