//! execve(2)'s environment: a pointer and the number of variables, or with `-v` the variables.

use crate::{Cx, Value, generic};
use stride_event::Phase;
use stride_syscalls::Ty;

pub fn decode<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if addr == 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    if !cx.abbrev {
        return generic::elements(cx, Phase::Entry, addr, &Ty::Str, u64::MAX, true);
    }
    let word = cx.abi().word();
    let words = cx.prefix(Phase::Entry, addr, usize::MAX);
    let count = words.chunks_exact(word).take_while(|w| w.iter().any(|&b| b != 0)).count();
    if words.len() < word {
        return Value::Addr(addr);
    }
    let unterminated = (count + 1) * word > words.len();
    let variables = cx.quantity(Value::UInt(count as u64), if count == 1 { "var" } else { "vars" });
    let remark = match unterminated {
        true => Value::Seq(cx.values(&[variables, Value::Word("unterminated")])),
        false => variables,
    };
    cx.comment(Value::Addr(addr), remark)
}
