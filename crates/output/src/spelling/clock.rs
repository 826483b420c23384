//! Times of day and spans of time, as strace writes them.

use chrono::{Datelike, Local, TimeZone, Timelike};
use stride_event::Ns;

/// Formats wall-clock times. The time of day is computed once a second.
#[derive(Default)]
pub struct Clock {
    second: Option<(u64, [u8; 8])>,
}

impl Clock {
    pub fn write(&mut self, out: &mut Vec<u8>, ns: u64, epoch: bool, digits: u8) {
        let second = ns / 1_000_000_000;
        if epoch {
            out.extend_from_slice(itoa::Buffer::new().format(second).as_bytes());
        } else {
            let text = match self.second {
                Some((s, text)) if s == second => text,
                _ => {
                    let text = time_of_day(second);
                    self.second = Some((second, text));
                    text
                }
            };
            out.extend_from_slice(&text);
        }
        fraction(out, ns % 1_000_000_000, digits);
    }
}

/// Date and time with a fraction of a second and the offset from UTC: `2024-02-29T23:59:58.123456+0100`.
pub fn moment(out: &mut Vec<u8>, sec: i64, part: u32, digits: u8) {
    // The calendar repeats itself every 400 years. Years of more than five digits are beyond `chrono`.
    const CYCLE: i64 = 146_097 * 86_400;
    const NEAR: i64 = 2_000_000_000_000;
    let cycles = if sec.unsigned_abs() > NEAR.unsigned_abs() { sec.div_euclid(CYCLE) } else { 0 };
    let Some(t) = Local.timestamp_opt(sec - cycles * CYCLE, 0).earliest() else {
        out.extend_from_slice(itoa::Buffer::new().format(sec).as_bytes());
        return;
    };
    // (chrono's `%Y` puts a plus sign before years of more than four digits.)
    match i64::from(t.year()) + 400 * cycles {
        0..=9999 => out.extend_from_slice(t.format("%Y").to_string().as_bytes()),
        year => out.extend_from_slice(itoa::Buffer::new().format(year).as_bytes()),
    }
    out.extend_from_slice(t.format("-%m-%dT%H:%M:%S").to_string().as_bytes());
    if part != 0 {
        let mut buf = itoa::Buffer::new();
        let part = buf.format(part);
        out.push(b'.');
        out.resize(out.len() + usize::from(digits).saturating_sub(part.len()), b'0');
        out.extend_from_slice(part.as_bytes());
    }
    out.extend_from_slice(t.format("%z").to_string().as_bytes());
}

fn time_of_day(second: u64) -> [u8; 8] {
    let mut text = *b"00:00:00";
    if let Some(t) = Local.timestamp_opt(second as i64, 0).earliest() {
        for (i, part) in [t.hour(), t.minute(), t.second()].into_iter().enumerate() {
            text[3 * i] = b'0' + (part / 10) as u8;
            text[3 * i + 1] = b'0' + (part % 10) as u8;
        }
    }
    text
}

/// Seconds with a fraction. The digits before the point are right-aligned to `width`.
pub fn seconds(out: &mut Vec<u8>, ns: Ns, width: usize, digits: u8) {
    let mut buf = itoa::Buffer::new();
    let whole = buf.format(ns / 1_000_000_000);
    for _ in whole.len()..width {
        out.push(b' ');
    }
    out.extend_from_slice(whole.as_bytes());
    fraction(out, ns, digits);
}

/// `.123456`: the part below a second, with this many digits.
fn fraction(out: &mut Vec<u8>, ns: Ns, digits: u8) {
    if digits == 0 {
        return;
    }
    let mut text = *b".000000000";
    let mut rest = ns % 1_000_000_000;
    for digit in text[1..].iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&text[..=usize::from(digits.min(9))]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(ns: Ns, digits: u8) -> String {
        let mut out = Vec::new();
        seconds(&mut out, ns, 3, digits);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn fractions_are_cut_to_their_digits() {
        assert_eq!(span(1_023_456_789, 9), "  1.023456789");
        assert_eq!(span(1_023_456_789, 6), "  1.023456");
        assert_eq!(span(12_999_999_999, 1), " 12.9");
        assert_eq!((span(5, 9), span(5, 0)), ("  0.000000005".into(), "  0".into()));
        assert_eq!(span(Ns::MAX, 20), "18446744073.709551615");
    }
}
