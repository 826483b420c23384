//! Digits of numbers to the bases 16 and 8.

/// Appends the number in hexadecimal, without a prefix.
pub fn hex(out: &mut Vec<u8>, n: u64) {
    let digits = (67 - n.leading_zeros()) / 4;
    digits_of::<4>(out, n, digits);
}

/// Appends the number in octal, with at least so many digits.
pub fn octal(out: &mut Vec<u8>, n: u64, least: u32) {
    let digits = (66 - n.leading_zeros()) / 3;
    digits_of::<3>(out, n, digits.max(least));
}

/// Appends the last digits, of so many bits each.
fn digits_of<const BITS: u32>(out: &mut Vec<u8>, n: u64, digits: u32) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    /// The digits that are put together in a register, which is appended at once.
    const MOST: u32 = 16;
    if digits > MOST {
        digits_of::<BITS>(out, n.checked_shr(BITS * MOST).unwrap_or(0), digits - MOST);
    }
    let digits = digits.clamp(1, MOST);
    let (mut text, mut rest) = (0u128, n);
    for _ in 0..digits {
        text = text << 8 | u128::from(DIGITS[(rest & ((1 << BITS) - 1)) as usize]);
        rest >>= BITS;
    }
    let from = out.len();
    out.extend_from_slice(&text.to_le_bytes());
    out.truncate(from + digits as usize);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_standard_library() {
        let numbers =
            (0..64).flat_map(|bits| [1u64 << bits, (1 << bits) - 1, u64::MAX >> bits, 0x1234_5678_9abc_def0 >> bits]);
        for n in numbers {
            let mut out = b"x".to_vec();
            hex(&mut out, n);
            out.push(b' ');
            octal(&mut out, n, 1);
            out.push(b' ');
            octal(&mut out, n, 5);
            assert_eq!(String::from_utf8(out).unwrap(), format!("x{n:x} {n:o} {n:05o}"));
        }
    }
}
