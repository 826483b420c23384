//! The description of Linux system calls: const data, no I/O.
//!
//! A syscall is one [`Syscall`] row, close to the way its man page writes it. The row drives printing, the capture plan
//! that both engines run ([`plan`]), JSON types and the reference docs. [`table`] finds the row of a number:
//!
//! ```
//! use stride_syscalls::{Abi, Effect, table};
//!
//! let row = table(Abi::X86_64).get(257).unwrap().row;
//! assert_eq!((row.name, row.args[1].name), ("openat", "pathname"));
//! assert_eq!(row.paths().next().unwrap().directory(), Some(0));
//! assert!(!row.has_effect(Effect::Closes));
//! ```
//!
//! - **Shapes**: an argument or member has a type ([`Ty`]), which says how its bytes are read, where pointers lead and
//!   when that memory is valid. A type whose decoding takes code names a decoder ([`Irregular`]).
//! - **Units**: sizes and offsets are bytes. Numbers are those of the ABI that was asked for ([`Abi`]).
//! - **Errors**: names that do not exist fail the build. At run time a number is in a table or not.
//! - **Sources**: the man pages for names and types, and the kernel's UAPI headers for numbers, layouts and constants
//!   ([`uapi`], which is generated from them).
//!
//! Architecture invariant: nothing here performs I/O, and nothing here knows how text is punctuated.

#![deny(missing_docs)]

mod abi;
mod check;
mod class;
pub mod effect;
pub mod ioctl;
mod irregular;
pub mod library;
pub mod multiplexed;
mod namespace;
pub mod netlink;
mod numbers;
pub mod operation;
mod path;
pub mod plan;
mod row;
pub mod rows;
mod set;
pub mod sets;
pub mod structs;
mod strukt;
mod table;
mod ty;
pub mod x32;

pub use abi::Abi;
pub use abi::facts::MachineRegisters;
pub use class::Class;
pub use effect::{CloseOnExec, Data, Effect, Facility, Flow, For, Thing, Transfer};
pub use irregular::Irregular;
pub use namespace::Namespace;
pub use path::{OpenFlags, PathArg, PathStart, StartsAt};
pub use row::{Arg, Form, Forms, Note, Ret, RetSelect, Syscall, When, arg, form, syscall};
#[doc(hidden)]
pub use set::mask_of;
pub use set::{FlagPart, Item, Number, Set};
#[doc(hidden)]
pub use strukt::plain;
pub use strukt::{Field, Struct};
pub use table::{Entry, NAMELESS, Table, nameless, row_named, table};
pub use ty::{Case, Dir, Len, PidKind, Select, SelectKey, Ty, Unit, Width, units};

/// The generated kernel facts that rows are made from, for decoders that need a bare constant.
pub use stride_uapi as uapi;
