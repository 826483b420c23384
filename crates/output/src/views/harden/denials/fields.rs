//! Records of the kernel's audit log: `key=value` pairs in a line. Programs chose names in them, so each line is read as hostile input.

use std::collections::BTreeMap;

/// The `key=value` pairs of a line. The first one of each key counts.
pub struct AuditFields<'l>(BTreeMap<&'l [u8], &'l [u8]>);

impl<'l> AuditFields<'l> {
    pub fn of(line: &'l [u8]) -> AuditFields<'l> {
        let mut fields = BTreeMap::new();
        let mut rest = line;
        while let Some(equals) = rest.iter().position(|byte| *byte == b'=') {
            let start = rest[..equals].iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
            let (key, value) = (&rest[start..equals], &rest[equals + 1..]);
            // The kernel writes a name with a quotation mark, a blank or a control character in hexadecimal.
            let end = match value.strip_prefix(b"\"") {
                Some(quoted) => quoted.iter().position(|byte| *byte == b'"').map(|length| length + 2),
                None => value.iter().position(|byte| *byte == b' '),
            };
            let (value, behind) = value.split_at(end.unwrap_or(value.len()));
            fields.entry(key).or_insert(value);
            rest = behind;
        }
        AuditFields(fields)
    }

    /// True for records of this type, which the kernel writes as a number, and auditd by name.
    pub fn is_of(&self, kind: [&[u8]; 2]) -> bool {
        self.raw(b"type").is_some_and(|of| kind.contains(&of))
    }

    pub fn raw(&self, key: &[u8]) -> Option<&'l [u8]> {
        self.0.get(key).copied()
    }

    /// The text of a value: in quotation marks, in hexadecimal, or as it is.
    pub fn text(&self, key: &[u8]) -> Option<Vec<u8>> {
        let raw = self.raw(key)?;
        if let Some(quoted) = raw.strip_prefix(b"\"") {
            return Some(quoted.strip_suffix(b"\"").unwrap_or(quoted).to_vec());
        }
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let is_hex = !raw.is_empty() && raw.len().is_multiple_of(2) && raw.iter().all(u8::is_ascii_hexdigit);
        let decoded = is_hex.then(|| raw.chunks(2).map(pair).collect::<Option<Vec<u8>>>()).flatten();
        Some(decoded.unwrap_or_else(|| raw.to_vec()))
    }

    /// A word of letters, digits and a few signs, as the kernel writes them itself.
    pub fn word(&self, key: &[u8]) -> Option<String> {
        let text = String::from_utf8(self.text(key)?).ok()?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+".contains(c);
        (!text.is_empty() && text.len() <= 64 && text.chars().all(is_plain)).then_some(text)
    }

    pub fn number(&self, key: &[u8], radix: u32) -> Option<u64> {
        let text = std::str::from_utf8(self.raw(key)?).ok()?;
        u64::from_str_radix(if radix == 16 { text.trim_start_matches("0x") } else { text }, radix).ok()
    }
}
