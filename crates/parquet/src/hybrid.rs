//! Parquet's encoding of small numbers: runs of the same number, and others in so many bits each ("RLE/bit-packing hybrid").

/// A number that comes so many times in a row makes a run. Bit-packed numbers come in groups of this size.
const GROUP: usize = 8;

/// The bits that numbers up to this one take.
pub fn width_of(most: usize) -> u32 {
    usize::BITS - most.leading_zeros()
}

/// Appends numbers of `width` bits each.
pub fn put(out: &mut Vec<u8>, numbers: &[u32], width: u32) {
    let (mut packed, mut at) = (0, 0);
    while at < numbers.len() {
        let number = numbers[at];
        let same = numbers[at..].iter().take_while(|&&other| other == number).count();
        // Groups are whole, except at the end, so the run gives numbers to the group before it.
        let given = (at - packed).next_multiple_of(GROUP) - (at - packed);
        if same >= given + GROUP {
            put_packed(out, &numbers[packed..at + given], width);
            put_run(out, same - given, number, width);
            packed = at + same;
        }
        at += same;
    }
    put_packed(out, &numbers[packed..], width);
}

/// Appends the same number so many times.
pub fn put_run(out: &mut Vec<u8>, count: usize, number: u32, width: u32) {
    put_head(out, count << 1);
    out.extend_from_slice(&number.to_le_bytes()[..width.div_ceil(8) as usize]);
}

fn put_packed(out: &mut Vec<u8>, numbers: &[u32], width: u32) {
    if numbers.is_empty() {
        return;
    }
    put_head(out, numbers.len().div_ceil(GROUP) << 1 | 1);
    for group in numbers.chunks(GROUP) {
        let (mut word, mut bits) = (0u64, 0);
        for i in 0..GROUP {
            word |= u64::from(group.get(i).copied().unwrap_or(0)) << bits;
            bits += width;
            if bits >= 32 {
                out.extend_from_slice(&(word as u32).to_le_bytes());
                (word, bits) = (word >> 32, bits - 32);
            }
        }
        // Eight numbers fill whole bytes.
        out.extend_from_slice(&word.to_le_bytes()[..bits as usize / 8]);
    }
}

fn put_head(out: &mut Vec<u8>, mut n: usize) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the format's description says that it is read.
    fn read(mut from: &[u8], width: u32) -> Vec<u32> {
        let mut numbers = Vec::new();
        while !from.is_empty() {
            let (mut head, mut shift) = (0usize, 0);
            loop {
                let byte = from[0];
                from = &from[1..];
                head |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    break;
                }
            }
            if head & 1 == 0 {
                let (bytes, rest) = from.split_at(width.div_ceil(8) as usize);
                let number = bytes.iter().rev().fold(0, |n, &byte| n << 8 | u32::from(byte));
                numbers.extend(std::iter::repeat_n(number, head >> 1));
                from = rest;
            } else {
                let (bytes, rest) = from.split_at((head >> 1) * width as usize);
                let bit = |i: usize| u32::from(bytes[i / 8] >> (i % 8) & 1);
                let number = |n: usize| (0..width as usize).fold(0, |v, i| v | bit(n * width as usize + i) << i);
                numbers.extend((0..(head >> 1) * 8).map(number));
                from = rest;
            }
        }
        numbers
    }

    #[test]
    fn numbers_of_each_width() {
        for width in 0..=32 {
            let most = if width == 32 { u32::MAX } else { (1 << width) - 1 };
            assert_eq!(width_of(most as usize), width);
            for count in [0, 1, 7, 8, 9, 100] {
                // Runs of each length, at each place of a group.
                for run in 1..20 {
                    let number = |i: usize| (i / run * 0x9e37_79b9) as u32 & most;
                    let numbers: Vec<u32> = (0..count * run).map(number).collect();
                    let mut out = Vec::new();
                    put(&mut out, &numbers, width);
                    let found = read(&out, width);
                    assert_eq!(found[..numbers.len()], numbers, "{width} {count} {run}");
                    assert!(found.len() < numbers.len() + GROUP);
                }
            }
        }
    }

    #[test]
    fn runs_take_few_bytes() {
        let mut out = Vec::new();
        put(&mut out, &[3; 100_000], 17);
        assert_eq!(out.len(), 6);
    }
}
