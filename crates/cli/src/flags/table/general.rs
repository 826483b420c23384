//! `-e`, the other spelling of many options.

use crate::flags::flag::{Arg, Category, Flag, Value};

const BASE: Flag = Flag { category: Category::General, ..Flag::BASE };

pub const FLAGS: &[Flag] = &[Flag {
    short: Some('e'),
    arg: Arg::Required("EXPR"),
    value: Value::Expression,
    help: "[NAME=][!]VALUE,...: the same as --NAME; default --trace",
    doc: "Says which events to report, or how. An expression is [NAME=][!]VALUE[,VALUE]..., and the same as the long \
          option --NAME=[!]VALUE[,VALUE]... of that name; without NAME it is about which syscalls to trace, so that \
          -e open means --trace=open.\n\n\
          An exclamation mark turns a set into everything else: -e '!open' reports every syscall but open. The words \
          all and none stand for everything and nothing. Many shells give the exclamation mark a meaning of their own, \
          which quotes or a backslash take away.\n\n\
          A later expression replaces an earlier one of the same name.",
    ..BASE
}];
