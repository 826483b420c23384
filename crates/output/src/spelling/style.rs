//! The style of text: options that change the spelling only.

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
    /// Strings that have a byte outside ASCII text.
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
    /// In a comment, which cannot contain another. A value without a name is only its number.
    pub in_comment: bool,
}
