//! Dumps of transferred data: hexadecimal with the text beside it, sixteen bytes a line.

use crate::{Style, Writer};
use stride_decode::Dump;
use stride_event::Phase;

const ROW: usize = 16;

pub fn write(out: &mut Vec<u8>, dump: &[Dump<'_>]) {
    for piece in dump {
        match *piece {
            Dump::Vcpu { id, phase, ref state } => {
                out.extend_from_slice(b" VCPU:");
                decimal(out, id);
                out.extend_from_slice(if phase == Phase::Entry { b"< " } else { b"> " });
                Writer { out: &mut *out, style: Style::default() }.value(state);
                out.push(b'\n');
            }
            Dump::Vector { index, buffers } => {
                out.extend_from_slice(b" = ");
                decimal(out, buffers);
                out.extend_from_slice(b" buffers in vector ");
                decimal(out, index as u64);
                out.push(b'\n');
            }
            Dump::Buffer { index, len } => {
                out.extend_from_slice(b" * ");
                decimal(out, len);
                out.extend_from_slice(b" bytes in buffer ");
                decimal(out, index as u64);
                out.push(b'\n');
            }
            Dump::Bytes { bytes, len } => rows(out, bytes, len),
            Dump::Missing { len, addr, tid } => {
                out.extend_from_slice(b" | <Cannot fetch ");
                decimal(out, len);
                out.extend_from_slice(if len == 1 { b" byte" } else { b" bytes" });
                out.extend_from_slice(b" from pid ");
                decimal(out, tid.unsigned_abs().into());
                out.extend_from_slice(b" @0x");
                hex(out, addr, digits(addr));
                out.extend_from_slice(b">\n");
            }
        }
    }
}

fn decimal(out: &mut Vec<u8>, n: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
}

fn digits(n: u64) -> usize {
    (u64::BITS - n.leading_zeros()).div_ceil(4) as usize
}

fn rows(out: &mut Vec<u8>, bytes: &[u8], len: u64) {
    // Wide enough for the last offset, and never less than five digits.
    let width = digits(len.saturating_sub(1)).max(5);
    for (i, row) in bytes.chunks(ROW).enumerate() {
        out.extend_from_slice(b" | ");
        hex(out, (i * ROW) as u64, width);
        out.push(b' ');
        for at in 0..ROW {
            if at.is_multiple_of(8) {
                out.push(b' ');
            }
            match row.get(at) {
                Some(&b) => hex(out, b.into(), 2),
                None => out.extend_from_slice(b"  "),
            }
            out.push(b' ');
        }
        out.push(b' ');
        let text = (0..ROW).map(|at| match row.get(at) {
            Some(&b @ b' '..=b'~') => b,
            Some(_) => b'.',
            None => b' ',
        });
        out.extend(text);
        out.extend_from_slice(b" |\n");
    }
}

fn hex(out: &mut Vec<u8>, value: u64, digits: usize) {
    for i in (0..digits).rev() {
        out.push(b"0123456789abcdef"[(value >> (4 * i) & 15) as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bytes_a_row() {
        let mut out = Vec::new();
        write(
            &mut out,
            &[Dump::Buffer { index: 1, len: 18 }, Dump::Bytes { bytes: b"0123456789abcdef\n\xff", len: 18 }],
        );
        let expected = [
            " * 18 bytes in buffer 1",
            " | 00000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef |",
            " | 00010  0a ff                                             ..               |",
            "",
        ];
        assert_eq!(String::from_utf8(out).unwrap(), expected.join("\n"));
    }
}
