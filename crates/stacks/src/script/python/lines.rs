//! Tables of lines: which line each instruction belongs to. A table may be anything; reading it ends with it.

/// The line `by` lines behind another one.
fn moved(line: i64, by: i64) -> i64 {
    line.saturating_add(by)
}

fn line(number: i64) -> Option<u32> {
    u32::try_from(number).ok().filter(|&line| line > 0)
}

/// 3.8 and 3.9 (`co_lnotab`): by how many bytes and lines each entry is behind the one before.
pub fn lnotab(table: &[u8], first: u32, place: u32, is_whole: bool) -> Option<u32> {
    let (mut at, mut number) = (0u64, i64::from(first));
    for entry in table.chunks_exact(2) {
        at += u64::from(entry[0]);
        if at > place.into() {
            return line(number);
        }
        number = moved(number, (entry[1] as i8).into());
    }
    // The last entry holds up to the end of the code.
    if is_whole { line(number) } else { None }
}

/// 3.10 (`co_linetable`): the length of each range and by how many lines it is behind the one before; -128 for ranges without a line.
pub fn table_of_3_10(table: &[u8], first: u32, place: u32) -> Option<u32> {
    let (mut end, mut number) = (0u64, i64::from(first));
    for entry in table.chunks_exact(2) {
        let by = entry[1] as i8;
        end += u64::from(entry[0]);
        if by != -128 {
            number = moved(number, by.into());
        }
        if u64::from(place) < end {
            return if by == -128 { None } else { line(number) };
        }
    }
    None
}

/// 3.11 and later (`co_linetable`): an entry of several bytes for each range. The first byte has the kind and the length; it alone has its highest bit set.
pub fn locations(table: &[u8], first: u32, place: u32) -> Option<u32> {
    const NO_LINE: u8 = 15;
    let (mut end, mut number) = (0u64, i64::from(first));
    let mut rest = table;
    while let Some((&head, behind)) = rest.split_first() {
        let kind = head >> 3 & 15;
        end += 2 * (u64::from(head & 7) + 1);
        number = moved(
            number,
            match kind {
                10..=12 => i64::from(kind - 10),
                13 | 14 => signed(behind),
                _ => 0,
            },
        );
        if u64::from(place) < end {
            return if kind == NO_LINE { None } else { line(number) };
        }
        let next = behind.iter().position(|byte| byte & 0x80 != 0)?;
        rest = &behind[next..];
    }
    None
}

/// How many units of two bytes the ranges of such a table have together.
pub fn units(table: &[u8]) -> u64 {
    table.iter().filter(|&&byte| byte & 0x80 != 0).map(|head| u64::from(head & 7) + 1).sum()
}

/// A number in groups of six bits, the lowest first; bit 6 says that more follow. The lowest bit of the number is its sign.
fn signed(bytes: &[u8]) -> i64 {
    let mut number = 0u64;
    for (i, byte) in bytes.iter().take(6).enumerate() {
        number |= u64::from(byte & 63) << (6 * i);
        if byte & 64 == 0 {
            break;
        }
    }
    let size = (number >> 1) as i64;
    if number & 1 != 0 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_3_9() {
        // def f():\n  a()\n\n  b()
        let table = [0, 1, 6, 2];
        assert_eq!([0, 4, 6, 100].map(|place| lnotab(&table, 10, place, true)), [11, 11, 13, 13].map(Some));
        assert_eq!([4, 6].map(|place| lnotab(&table, 10, place, false)), [Some(11), None]);
        // Lines go back, too.
        assert_eq!(lnotab(&[0, 5, 4, 0xfd], 10, 4, true), Some(12));
        assert_eq!(lnotab(&[0, 0x80], 10, 0, true), None);
    }

    #[test]
    fn lines_of_3_10() {
        let table = [4, 1, 2, 0x80, 6, 2];
        let lines = [0, 2, 4, 6, 10, 12].map(|place| table_of_3_10(&table, 10, place));
        assert_eq!(lines, [Some(11), Some(11), None, Some(13), Some(13), None]);
    }

    #[test]
    fn lines_of_3_11() {
        // No line; a short one; the next line; three lines back, with columns; ten lines on, without columns.
        let table = [0xf8, 0x80 | 1, 9, 0x80 | 11 << 3, 1, 2, 0x80 | 14 << 3, 7, 0, 1, 1, 0x80 | 13 << 3 | 1, 20];
        let lines = [0, 2, 6, 8, 10, 12, 14].map(|place| locations(&table, 10, place));
        assert_eq!(lines, [None, Some(10), Some(11), Some(8), Some(18), Some(18), None]);
        assert_eq!(units(&table), 7);
    }

    #[test]
    fn any_bytes() {
        let mut state = 1u64;
        for len in 0..300 {
            let table: Vec<u8> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> 56) as u8
                })
                .collect();
            for place in [0, 1, 7, 1000, u32::MAX] {
                for first in [0, 1, u32::MAX] {
                    lnotab(&table, first, place, true);
                    table_of_3_10(&table, first, place);
                    locations(&table, first, place);
                }
            }
        }
    }
}
