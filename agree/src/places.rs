//! The places where two lines differ, and what rules need to know of them.

use crate::fields::Part;

/// Two lines from the places on where they differ.
#[derive(Clone, Copy)]
pub struct Places<'p> {
    /// The name of the call.
    pub call: &'p str,
    pub args: [u64; 6],
    pub result: i64,
    /// The first line up to here.
    pub before: &'p [Part<'p>],
    pub first: &'p [Part<'p>],
    pub other: &'p [Part<'p>],
    /// The second tracer sees the beginning of calls that a seccomp filter answers.
    pub sees_entries: bool,
}

impl<'p> Places<'p> {
    /// The name of the member whose value this is.
    pub fn member(&self) -> &'p str {
        match self.before {
            [.., Part::Text(name), Part::Mark(b'=')] => name,
            _ => "",
        }
    }

    /// The number that the last member of this name has before here.
    pub fn number_before(&self, name: &str) -> Option<i128> {
        self.before.windows(3).rev().find_map(|parts| match parts {
            [Part::Text(member), Part::Mark(b'='), Part::Text(value)] if *member == name => leading_number(value),
            _ => None,
        })
    }
}

/// The number of a member or an argument that follows a value.
pub fn next_number(behind: &[Part<'_>]) -> Option<i128> {
    match behind {
        [Part::Mark(b','), Part::Text(_), Part::Mark(b'='), Part::Text(value), ..]
        | [Part::Mark(b','), Part::Text(value), ..] => leading_number(value),
        _ => None,
    }
}

/// The number without the comment behind it.
pub fn leading_number(text: &str) -> Option<i128> {
    number_of(text.split(" /*").next().unwrap_or_default())
}

/// The reason, and how many parts of each line it explains.
pub type Explained = (&'static str, usize, usize);

/// A kind of difference that is known.
pub type Rule = fn(&Places<'_>) -> Option<Explained>;

pub fn texts<'p>(places: &Places<'p>) -> Option<(&'p str, &'p str)> {
    match (places.first, places.other) {
        ([Part::Text(first), ..], [Part::Text(other), ..]) => Some((first, other)),
        _ => None,
    }
}

/// The end of a value in brackets that begins here.
pub fn value_end(parts: &[Part<'_>]) -> Option<usize> {
    matches!(parts.first(), Some(Part::Mark(b'{' | b'['))).then(|| list_end(&parts[1..]).map(|end| end + 2))?
}

/// The end of a value in brackets and of the one behind an arrow, which is what the kernel made of it.
pub fn change_end(parts: &[Part<'_>]) -> Option<usize> {
    let end = value_end(parts)?;
    match parts[end..] {
        [Part::Text("=>"), ref answer @ ..] => Some(end + 1 + value_end(answer)?),
        _ => Some(end),
    }
}

/// The place of the bracket that closes the list within which this is.
pub fn list_end(parts: &[Part<'_>]) -> Option<usize> {
    let mut depth = 0;
    for (i, part) in parts.iter().enumerate() {
        match part {
            Part::Mark(b'{' | b'[') => depth += 1,
            Part::Mark(b'}' | b']') if depth == 0 => return Some(i),
            Part::Mark(b'}' | b']') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// True if the text is a number that may be an address.
pub fn is_address(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(|digits| digits.len() >= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

pub fn number_of(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The bytes of a string, as far as they are shown.
pub fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let text = text.strip_suffix("...").unwrap_or(text).strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes().iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'v' => 11,
            b'f' => 12,
            b'x' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            digit @ b'0'..=b'7' => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(next) = rest.next_if(|b| (b'0'..=b'7').contains(b)) else { break };
                    value = value * 8 + u32::from(next - b'0');
                }
                value as u8
            }
            other => other,
        });
    }
    Some(bytes)
}
