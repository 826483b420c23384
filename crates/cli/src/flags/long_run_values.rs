//! The arguments of `--flight` and `--rotate`.

use super::values;
use std::time::Duration;
use stride_session::facts::Keep;
use stride_session::options::{Extent, Rotation};

/// The files in all, unless the option says how many.
const DEFAULT_COUNT: u32 = 5;
const MOST: u64 = 10_000;
/// Smaller files would hold little more than their beginnings.
const LEAST_FILE: u64 = 4 << 10;
const LEAST_TIME: Duration = Duration::from_millis(1);
/// The memory that a limit in time alone may take.
const MOST_BYTES: usize = 256 << 20;
const LEAST_BYTES: u64 = 1 << 20;
const LARGEST: u64 = 64 << 30;

fn extent(text: &str) -> Option<Extent> {
    match text.as_bytes().last()? {
        b'K' | b'M' | b'G' | b'B' | b'k' | b'g' => values::size(text).map(Extent::Bytes),
        _ => values::time(text).map(Extent::Time),
    }
}

/// `SIZE[:COUNT]` or `TIME[:COUNT]`.
pub fn rotation(text: &str) -> Option<Rotation> {
    let (every, count) = match text.split_once(':') {
        Some((every, count)) => (every, values::integer(count, MOST).filter(|count| *count > 0)? as u32),
        None => (text, DEFAULT_COUNT),
    };
    let every = extent(every)?;
    let enough = match every {
        Extent::Bytes(bytes) => bytes >= LEAST_FILE,
        Extent::Time(time) => time >= LEAST_TIME,
    };
    enough.then_some(Rotation { every, count })
}

/// `SIZE`, `TIME` or `SIZE,TIME`.
pub fn keep(text: &str) -> Option<Keep> {
    let (mut bytes, mut time) = (None, None);
    for part in text.split(',') {
        match extent(part)? {
            Extent::Bytes(size) if bytes.is_none() && (LEAST_BYTES..=LARGEST).contains(&size) => bytes = Some(size),
            Extent::Time(span) if time.is_none() && !span.is_zero() => time = Some(span),
            _ => return None,
        }
    }
    let bytes = bytes.map_or(MOST_BYTES, |bytes| bytes as usize);
    Some(Keep { bytes, time: time.map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)) })
}

#[cfg(test)]
mod tests {
    use super::super::raw_flight::RawFlight;
    use super::*;

    #[test]
    fn extents() {
        for (text, of) in [
            ("10M", Extent::Bytes(10 << 20)),
            ("10MiB", Extent::Bytes(10 << 20)),
            ("4k", Extent::Bytes(4096)),
            ("10m", Extent::Time(Duration::from_secs(600))),
            ("5ms", Extent::Time(Duration::from_millis(5))),
        ] {
            assert_eq!(extent(text), Some(of), "{text}");
        }
        for text in ["", "10", "M", "10B", "10d", "10MB"] {
            assert_eq!(extent(text), None, "{text:?}");
        }
    }

    #[test]
    fn rotations() {
        for (text, every, count) in [
            ("64K", Extent::Bytes(65536), DEFAULT_COUNT),
            ("1MiB:3", Extent::Bytes(1 << 20), 3),
            ("10s:1", Extent::Time(Duration::from_secs(10)), 1),
            ("2h", Extent::Time(Duration::from_secs(7200)), DEFAULT_COUNT),
            ("100ms:2", Extent::Time(Duration::from_millis(100)), 2),
        ] {
            assert_eq!(rotation(text), Some(Rotation { every, count }), "{text}");
        }
        for text in ["", "64", "1K", "0s", "64K:", "64K:0", "64K:x", "64K:10001", ":3", "65536", "x"] {
            assert_eq!(rotation(text), None, "{text}");
        }
    }

    #[test]
    fn how_much_is_kept() {
        let kept = |bytes, time| Some(Keep { bytes, time });
        assert_eq!(keep("64MiB"), kept(64 << 20, None));
        assert_eq!(keep("30s"), kept(MOST_BYTES, Some(30_000_000_000)));
        assert_eq!(keep("10m,1G"), kept(1 << 30, Some(600_000_000_000)));
        for text in ["", "64", "64K", "1M,2M", "1s,2s", "0s", "1M,", "100G", "65G"] {
            assert_eq!(keep(text), None, "{text}");
        }
        let settled = |text| RawFlight { keep: keep(text), ..RawFlight::default() }.settled().unwrap();
        assert_eq!((settled("1M").after, settled("1M").most), (Duration::from_secs(1), 1));
        assert_eq!(settled("1s").after, Duration::from_millis(250));
    }
}
