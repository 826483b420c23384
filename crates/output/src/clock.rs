//! Times of day.

use crate::line::fraction;
use chrono::{Local, TimeZone, Timelike};

/// Formats wall-clock times; the time of day is worked out once a second.
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
