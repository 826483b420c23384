//! Amateur radio: AX.25 call signs, and the digipeaters on a packet's way (linux/ax25.h).

use super::Address;
use crate::irregular::inet;
use crate::{Designation, Tail, Value};
use bumpalo::collections::Vec;

const CALL: usize = 7;
const ADDRESS: usize = 16;
const MAX_DIGIPEATERS: usize = 8;

impl<'a> Address<'a, '_> {
    pub(super) fn ax25(&mut self) {
        let call = self.call(2);
        let number = self.u(12, 4) as i32;
        if self.bytes.len() == ADDRESS && number == 0 {
            self.add("sax25_call", call);
            self.add("sax25_ndigis", Value::Int(number.into()));
            return;
        }
        let base = self.cx.members(&[("sax25_call", call), ("sax25_ndigis", Value::Int(number.into()))]);
        self.add("fsa_ax25", base);
        let room = self.bytes.len() - ADDRESS;
        let there = (room / CALL).min(MAX_DIGIPEATERS);
        // To the kernel a negative number is none.
        let count = usize::try_from(number).unwrap_or(0);
        let shown = there.min(count);
        if count > 0 {
            let calls = (0..shown).map(|i| self.call(ADDRESS + i * CALL));
            let calls = Vec::from_iter_in(calls, self.cx.arena).into_bump_slice();
            let tail = if count.min(MAX_DIGIPEATERS) > shown { Tail::More } else { Tail::End };
            self.add("fsa_digipeater", Value::Array(calls, tail));
        }
        if room > there * CALL || !room.is_multiple_of(CALL) {
            self.tail = Tail::More;
        }
    }

    /// A call sign: six characters, each shifted left, and the number of the station.
    fn call(&self, at: usize) -> Value<'a> {
        let cx = self.cx;
        let raw = &self.bytes[at..at + CALL];
        if raw.iter().all(|&b| b == b' ' << 1 || b == 0) && raw[0] == b' ' << 1 && raw[6] == 0 {
            return Value::Designation(Designation::NoCallSign);
        }
        let bytes = cx.members(&[("ax25_call", inet::octets(cx, raw))]);
        let sign = raw[..6].iter().rposition(|&b| b >> 1 != b' ').map_or(&raw[..0], |last| &raw[..=last]);
        let printable = |b: &u8| (b' '..0x7f).contains(&(b >> 1));
        // A call sign that would end the comment is shown as bytes alone.
        let ends_comment = sign.windows(2).any(|w| w[0] >> 1 == b'*' && w[1] >> 1 == b'/');
        let ssid = raw[6] >> 1 & 0xf;
        if !sign.iter().all(printable) || ends_comment {
            return bytes;
        }
        let letters = Vec::from_iter_in(sign.iter().map(|b| b >> 1), cx.arena);
        let sign = cx.arena.alloc_str(&String::from_utf8_lossy(&letters));
        let text = Value::Designation(Designation::CallSign(sign, ssid));
        let letter = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit();
        let usual = !letters.is_empty()
            && raw[..6].iter().all(|b| b & 1 == 0)
            && letters.iter().all(letter)
            && raw[6] & !0x1e == 0;
        if usual { text } else { cx.comment(bytes, text) }
    }
}
