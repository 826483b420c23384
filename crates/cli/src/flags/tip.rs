//! The argument of `--tips`.

/// A tip to show at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tip {
    /// Without one, chance decides.
    pub id: Option<u32>,
    pub format: TipFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TipFormat {
    None,
    Compact,
    Full,
}

const FORMATS: [(&str, TipFormat); 3] =
    [("none", TipFormat::None), ("compact", TipFormat::Compact), ("full", TipFormat::Full)];

impl Tip {
    pub const ANY: Tip = Tip { id: None, format: TipFormat::Compact };

    /// Changes a tip by `[id:]ID,[format:]FORMAT,...`. The last of each counts.
    pub fn with(mut self, text: &str) -> Option<Tip> {
        for item in text.split(',').filter(|_| !text.is_empty()) {
            let (id, format) = match item.split_once(':') {
                Some(("id", id)) => (parse_id(id), None),
                Some(("format", format)) => (None, format_named(format)),
                Some(_) => (None, None),
                None => (parse_id(item), format_named(item)),
            };
            if id.is_none() && format.is_none() {
                return None;
            }
            self = Tip { id: id.unwrap_or(self.id), format: format.unwrap_or(self.format) };
        }
        Some(self)
    }
}

/// `random` is an id, too.
fn parse_id(text: &str) -> Option<Option<u32>> {
    match text {
        "random" => Some(None),
        text => text.parse().ok().filter(|id| *id <= i32::MAX as u32).map(Some),
    }
}

fn format_named(name: &str) -> Option<TipFormat> {
    FORMATS.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_change_the_tip_one_after_another() {
        let tip = |text: &str| Tip::ANY.with(text);
        assert_eq!(tip(""), Some(Tip::ANY));
        assert_eq!(tip("id:random,23"), Some(Tip { id: Some(23), ..Tip::ANY }));
        assert_eq!(tip("format:full,3,none,id:42,compact"), Some(Tip { id: Some(42), format: TipFormat::Compact }));
        for wrong in
            ["id", "id:", "-1", "2147483648", "id:rand", "2,3,radomm,4", "format:", "id:format:full", "format:id:0"]
        {
            assert_eq!(tip(wrong), None, "{wrong}");
        }
    }
}
