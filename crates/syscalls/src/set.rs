//! Named values: flag sets and enumerations.

/// The names of a flag word's bits, or of an enumeration's values.
#[derive(Debug)]
pub struct Set {
    /// What follows an unknown value in a comment, such as `O_???`.
    pub unknown: &'static str,
    pub items: &'static [Item],
    /// Bare numbers of this set are decimal (enumerations such as address families), not hexadecimal.
    pub decimal: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Item {
    pub name: &'static str,
    pub value: u64,
    /// The bits that must equal `value`: the value itself for a flag, more for an enumerated field
    /// inside a flag word (`O_ACCMODE`), all bits for a name of zero.
    pub mask: u64,
}

impl Set {
    /// The name of exactly this value, if the set has one.
    pub fn name_of(&self, value: u64) -> Option<&'static str> {
        self.items.iter().find(|i| i.value == value).map(|i| i.name)
    }

    /// The value of a name; fails the build (in const evaluation) on a misspelling.
    pub const fn value(&self, name: &str) -> u64 {
        let mut i = 0;
        while i < self.items.len() {
            if crate::check::same(self.items[i].name, name) {
                return self.items[i].value;
            }
            i += 1;
        }
        panic!("no such name in this set")
    }
}

/// Declares [`Set`]s. Values come from the generated UAPI constants of the same name.
///
/// ```text
/// sets! {
///     /// open(2) flags: asm-generic/fcntl.h
///     pub OPEN "O_???" { O_RDONLY in O_ACCMODE, O_WRONLY in O_ACCMODE, O_CREAT, OURS = 0x40 }
///     /// Address families: linux/socket.h
///     pub decimal FAMILY "AF_???" { AF_UNSPEC, AF_UNIX }
/// }
/// ```
/// Order is print order. `in MASK` marks a value of an enumerated field within a flag word.
#[macro_export]
macro_rules! sets {
    () => {};
    ($(#[$doc:meta])* pub decimal $NAME:ident $unknown:literal { $($body:tt)* } $($rest:tt)*) => {
        $(#[$doc])* pub static $NAME: $crate::Set = $crate::Set { unknown: $unknown, items: $crate::items!([] $($body)*), decimal: true };
        $crate::sets! { $($rest)* }
    };
    ($(#[$doc:meta])* pub $NAME:ident $unknown:literal { $($body:tt)* } $($rest:tt)*) => {
        $(#[$doc])* pub static $NAME: $crate::Set = $crate::Set { unknown: $unknown, items: $crate::items!([] $($body)*), decimal: false };
        $crate::sets! { $($rest)* }
    };
}

/// The body of [`sets!`]: `NAME`, `NAME = value`, `NAME in MASK`, `NAME = value in MASK`, separated by commas.
#[macro_export]
macro_rules! items {
    ([$($done:expr),*]) => { &[$($done),*] };
    ([$($done:expr),*] $name:ident in $mask:ident $(, $($rest:tt)*)?) => {
        $crate::items!([$($done,)* $crate::Item { name: stringify!($name), value: $crate::uapi::consts::$name, mask: $crate::uapi::consts::$mask }] $($($rest)*)?)
    };
    ([$($done:expr),*] $name:ident in $mask:literal $(, $($rest:tt)*)?) => {
        $crate::items!([$($done,)* $crate::Item { name: stringify!($name), value: $crate::uapi::consts::$name, mask: $mask }] $($($rest)*)?)
    };
    ([$($done:expr),*] $name:ident = $value:literal in $mask:literal $(, $($rest:tt)*)?) => {
        $crate::items!([$($done,)* $crate::Item { name: stringify!($name), value: $value, mask: $mask }] $($($rest)*)?)
    };
    ([$($done:expr),*] $name:ident = $value:expr $(, $($rest:tt)*)?) => {
        $crate::items!([$($done,)* $crate::Item { name: stringify!($name), value: $value, mask: $crate::mask_of($value) }] $($($rest)*)?)
    };
    ([$($done:expr),*] $name:ident $(, $($rest:tt)*)?) => {
        $crate::items!([$($done,)* $crate::Item { name: stringify!($name), value: $crate::uapi::consts::$name, mask: $crate::mask_of($crate::uapi::consts::$name) }] $($($rest)*)?)
    };
}

/// A plain flag's mask is its value; a name of zero stands only for all bits clear.
#[doc(hidden)]
pub const fn mask_of(value: u64) -> u64 {
    if value == 0 { !0 } else { value }
}
