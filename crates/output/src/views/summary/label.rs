//! The names of rows.

use super::names::Names;
use super::part::KeyPart;
use crate::{
    spelling::names::errno,
    spelling::quote::{legible, shown},
};
use stride_event::PowerBucket;
use stride_event::quantity::duration;
use stride_syscalls::{Abi, table};
use stride_track::{ObjectId, Tracker};

/// Finds the names of keys.
pub struct Labels<'a> {
    pub names: &'a Names,
    pub tracker: Option<&'a Tracker>,
    /// True if the table has several ABIs. Then names of ABIs other than the native one are shown.
    pub tell_abi: bool,
}

impl Labels<'_> {
    /// The label of a key. It is printable, whatever names a tracee chose.
    pub fn of(&self, part: KeyPart) -> String {
        match part {
            KeyPart::Call(abi, nr) => {
                let mut name = syscall(abi, nr);
                if self.tell_abi && abi != Abi::NATIVE {
                    name += if abi == Abi::I386 { " (32 bit)" } else { " (64 bit)" };
                }
                name
            }
            KeyPart::Object(object) => shown(self.object(object)),
            KeyPart::Name(name) => shown(self.names.name(name)),
            KeyPart::Functions(names) => functions(self.names.name(names)),
            KeyPart::Fd(fd, None) => fd.to_string(),
            KeyPart::Fd(fd, Some(object)) => format!("{fd}<{}>", shown(self.object(object))),
            KeyPart::Errno(0) => "ok".into(),
            KeyPart::Errno(number) => errno_name(number),
            KeyPart::Id(id) => id.to_string(),
            KeyPart::Duration(bucket) => time(bucket),
            KeyPart::Size(bucket) => size(bucket),
            KeyPart::None => "-".into(),
            KeyPart::Others => "(others)".into(),
        }
    }

    pub fn object(&self, object: ObjectId) -> &[u8] {
        self.tracker.map_or(b"?", |tracker| tracker.name(object))
    }
}

/// Names of functions have many characters that are special in names of files, such as `<`.
fn functions(names: &[u8]) -> String {
    let mut out = Vec::new();
    legible(&mut out, &String::from_utf8_lossy(names));
    String::from_utf8_lossy(&out).into_owned()
}

pub fn syscall(abi: Abi, nr: u64) -> String {
    table(abi).name(nr).into_owned()
}

pub fn errno_name(number: u32) -> String {
    errno(number).map_or_else(|| format!("errno {number}"), |(name, _)| name.to_string())
}

/// `[4K, 8K)`, the usual notation of histograms.
fn size(bucket: PowerBucket) -> String {
    let short = |n: u128| {
        let units = ["", "K", "M", "G", "T", "P", "E"];
        let unit = (0..units.len()).rev().find(|unit| n >= 1 << (10 * unit)).unwrap_or(0);
        format!("{}{}", n >> (10 * unit), units[unit])
    };
    match bucket.range() {
        None => "-".into(),
        Some((least, most)) if least == most => format!("[{least}]"),
        Some((least, most)) => format!("[{}, {})", short(least.into()), short(u128::from(most) + 1)),
    }
}

/// `[1.02 µs, 2.05 µs)`.
fn time(bucket: PowerBucket) -> String {
    match bucket.range() {
        None => "-".into(),
        Some((least, most)) if least == most => format!("[{}]", duration(least)),
        Some((least, most)) => format!("[{}, {})", duration(least), duration(most.saturating_add(1))),
    }
}

/// Cuts the middle out, because the beginning and the end of a path say most.
pub fn cut(label: &str, width: usize) -> String {
    const GAP: &str = "...";
    let chars: Vec<char> = label.chars().collect();
    if chars.len() <= width || width <= GAP.len() {
        return label.to_string();
    }
    let tail = (width - GAP.len()) * 2 / 3;
    let head = width - GAP.len() - tail;
    chars[..head].iter().chain(GAP.chars().collect::<Vec<_>>().iter()).chain(&chars[chars.len() - tail..]).collect()
}
