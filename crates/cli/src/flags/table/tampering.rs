//! Changing what calls do. So far, Stride only knows the options' names.

use crate::flags::flag::{Arg, Category, Flag};

const BASE: Flag = Flag {
    category: Category::Tampering,
    missing: Some("changing the results of calls needs support in the tracing engine; use strace for this"),
    ..Flag::BASE
};

pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("fault"),
        qualifiers: &["fault"],
        arg: Arg::Required("SET[:WHAT]..."),
        help: "make calls fail (not implemented yet)",
        doc: "Makes the calls of the set fail, with ENOSYS unless another error is given. Not implemented yet.",
        ..BASE
    },
    Flag {
        long: Some("inject"),
        qualifiers: &["inject"],
        arg: Arg::Required("SET[:WHAT]..."),
        help: "change what calls do (not implemented yet)",
        doc: "Changes the result of the calls of the set, delays them, or has them raise signals. Not implemented yet.",
        ..BASE
    },
];
