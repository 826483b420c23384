//! Named values: flag sets and enumerations.

use crate::Abi;

/// The ABIs behind the first one.
const OTHERS: usize = Abi::ALL.len() - 1;

/// The names of a flag word's bits, or of an enumeration's values.
#[derive(Debug)]
pub struct Set {
    /// The comment behind an unknown value, such as `O_???`. Empty if unknown values are nothing unusual.
    pub unknown: &'static str,
    /// The names, in the order in which they are shown.
    pub items: &'static [Item],
    /// Bare numbers of this set are decimal (enumerations such as address families), not hexadecimal.
    pub decimal: bool,
    /// The bits of an enumerated field that is always shown first, known or not (mmap's `MAP_TYPE`).
    pub lead: u64,
    /// A number within the flag word, shown last.
    pub number: Option<Number>,
    /// The sets of the ABIs behind the first one, where names have other values.
    elsewhere: [Option<&'static Set>; OTHERS],
}

/// One of the parts that a flag word consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagPart {
    /// A name whose bits are set.
    Name(&'static str),
    /// The field that is always shown, if its value has no name.
    Lead(u64),
    /// Bits without a name.
    Rest(u64),
    /// The number within the word, and the name of its shift.
    Number(u64, &'static str),
}

/// A number packed into a flag word, shown as `21<<MAP_HUGE_SHIFT` if it is not zero.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// The bits that hold the number.
    pub mask: u64,
    /// The number of the lowest of these bits.
    pub shift: u8,
    /// The name of the shift.
    pub name: &'static str,
}

/// A name and its value.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// The name, as a header has it.
    pub name: &'static str,
    /// The value of the name.
    pub value: u64,
    /// The bits that must equal `value`: the value itself for a flag, more for an enumerated field inside a flag word
    /// (`O_ACCMODE`), all bits for a name of zero.
    pub mask: u64,
}

/// Sets are declared once, so that each has a place of its own.
impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Set {}

impl Set {
    /// The same names, with another comment behind values without one.
    pub const fn remarked(&self, unknown: &'static str) -> Set {
        Set { unknown, elsewhere: [None; OTHERS], ..*self }
    }

    /// A set of these names. `unknown` is the comment behind values without a name.
    pub const fn new(unknown: &'static str, items: &'static [Item], decimal: bool) -> Set {
        Set { unknown, items, decimal, lead: 0, number: None, elsewhere: [None; OTHERS] }
    }

    /// The sets of the same names with the values of the other ABIs. They are kept only if values differ.
    pub const fn elsewhere(mut self, others: [&'static Set; OTHERS]) -> Set {
        let mut i = 0;
        while i < OTHERS {
            self.elsewhere[i] = self.unless_same(others[i]);
            i += 1;
        }
        self
    }

    const fn unless_same(&self, other: &'static Set) -> Option<&'static Set> {
        let mut i = 0;
        while i < self.items.len() {
            let (own, other_item) = (&self.items[i], &other.items[i]);
            if own.value != other_item.value || own.mask != other_item.mask {
                return Some(other);
            }
            i += 1;
        }
        None
    }

    /// The set with the values of this ABI.
    pub const fn of(&'static self, abi: Abi) -> &'static Set {
        match abi as usize {
            0 => self,
            other => match self.elsewhere[other - 1] {
                Some(set) => set,
                None => self,
            },
        }
    }

    /// The field of these bits is always shown, and comes first.
    pub const fn led_by(mut self, mask: u64) -> Set {
        self.lead = mask;
        self
    }

    /// The bits of the mask hold a number, whose shift has this name.
    pub const fn with_number(mut self, mask: u64, name: &'static str) -> Set {
        self.number = Some(Number { mask, shift: mask.trailing_zeros() as u8, name });
        self
    }

    /// True if a flag word has a bit with a name, or is zero and zero has a name.
    pub fn describes(&self, raw: u64) -> bool {
        self.items.iter().any(|i| raw & i.mask == i.value && (i.value != 0 || i.mask != !0 || raw == 0))
    }

    /// Calls `each` with the parts of a flag word in print order: names, then bits without a name, which are a part
    /// only beside a name or a number. Returns whether there was any part.
    pub fn parts(&self, raw: u64, mut each: impl FnMut(FlagPart)) -> bool {
        let mut left = raw;
        let mut any = self.lead != 0;
        if any {
            let field = raw & self.lead;
            let item = self.items.iter().find(|i| i.mask == self.lead && i.value == field);
            each(item.map_or(FlagPart::Lead(field), |item| FlagPart::Name(item.name)));
            left &= !self.lead;
        }
        let number = self.number.map_or(0, |n| (left & n.mask) >> n.shift);
        left &= !self.number.map_or(0, |n| n.mask);
        for item in self.items.iter().filter(|i| self.lead == 0 || i.mask != self.lead) {
            // A name is shown if its bits have its value and it adds something new. A name with the value zero stands
            // for its whole field.
            let matches = raw & item.mask == item.value && (item.value == 0 || left & item.value == item.value);
            if matches && (item.value != 0 || item.mask != !0 || raw == 0) {
                each(FlagPart::Name(item.name));
                left &= !item.value;
                any = true;
            }
        }
        if (any || number != 0) && left != 0 {
            each(FlagPart::Rest(left));
        }
        if let (Some(n), 1..) = (self.number, number) {
            each(FlagPart::Number(number, n.name));
            any = true;
        }
        any
    }

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
        $(#[$doc])* #[doc = concat!("\n\nA value without a name is `", $unknown, "`.")] pub static $NAME: $crate::Set = $crate::set_of_abis!($unknown, true, $($body)*);
        $crate::set_test! { $NAME }
        $crate::sets! { $($rest)* }
    };
    ($(#[$doc:meta])* pub $NAME:ident $unknown:literal { $($body:tt)* } $($rest:tt)*) => {
        $(#[$doc])* #[doc = concat!("\n\nA value without a name is `", $unknown, "`.")] pub static $NAME: $crate::Set = $crate::set_of_abis!($unknown, false, $($body)*);
        $crate::set_test! { $NAME }
        $crate::sets! { $($rest)* }
    };
}

/// One set for each ABI, that of the first one in front.
#[doc(hidden)]
#[macro_export]
macro_rules! set_of_abis {
    ($unknown:literal, $decimal:literal, $($body:tt)*) => {
        $crate::uapi::with_abis!({ $crate::sets_of } $unknown, $decimal, { $($body)* })
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! sets_of {
    ([$first:ident $($other:ident)*] $unknown:literal, $decimal:literal, $body:tt) => {
        $crate::set_of!($first $unknown, $decimal, $body).elsewhere([$({
            static OTHER: $crate::Set = $crate::set_of!($other $unknown, $decimal, $body);
            &OTHER
        }),*])
    };
}

/// The set of one ABI.
#[doc(hidden)]
#[macro_export]
macro_rules! set_of {
    ($abi:ident $unknown:literal, $decimal:literal, { $($body:tt)* }) => {
        $crate::Set::new($unknown, $crate::items!($abi [] $($body)*), $decimal)
    };
}

/// Each set gets a test of its own, in a module of its name.
#[doc(hidden)]
#[macro_export]
macro_rules! set_test {
    ($NAME:ident) => {
        #[cfg(test)]
        #[allow(non_snake_case)]
        mod $NAME {
            #[test]
            fn names_and_values_are_unique() {
                $crate::set::assert_unique(&super::$NAME);
            }
        }
    };
}

#[cfg(test)]
pub(crate) fn assert_unique(set: &Set) {
    for (i, item) in set.items.iter().enumerate() {
        for other in &set.items[..i] {
            assert_ne!(item.name, other.name, "a name given twice");
            assert!((item.value, item.mask) != (other.value, other.mask), "{} is {} already", item.name, other.name);
        }
    }
}

/// The body of [`sets!`]: `NAME`, `NAME = value`, `NAME in MASK`, `NAME = value in MASK`, separated by commas;
/// before it the ABI.
#[macro_export]
macro_rules! items {
    ($abi:ident [$($done:expr),*]) => { &[$($done),*] };
    ($abi:ident [$($done:expr),*] $name:ident in $mask:ident $(, $($rest:tt)*)?) => {
        $crate::items!($abi [$($done,)* $crate::Item { name: stringify!($name), value: $crate::uapi::$abi::consts::$name, mask: $crate::uapi::$abi::consts::$mask }] $($($rest)*)?)
    };
    ($abi:ident [$($done:expr),*] $name:ident in $mask:literal $(, $($rest:tt)*)?) => {
        $crate::items!($abi [$($done,)* $crate::Item { name: stringify!($name), value: $crate::uapi::$abi::consts::$name, mask: $mask }] $($($rest)*)?)
    };
    ($abi:ident [$($done:expr),*] $name:literal = $value:literal in $mask:literal $(, $($rest:tt)*)?) => {
        $crate::items!($abi [$($done,)* $crate::Item { name: $name, value: $value, mask: $mask }] $($($rest)*)?)
    };
    ($abi:ident [$($done:expr),*] $name:ident = $value:literal in $mask:literal $(, $($rest:tt)*)?) => {
        $crate::items!($abi [$($done,)* $crate::Item { name: stringify!($name), value: $value, mask: $mask }] $($($rest)*)?)
    };
    ($abi:ident [$($done:expr),*] $name:ident = $value:expr $(, $($rest:tt)*)?) => {
        $crate::items!($abi [$($done,)* $crate::Item { name: stringify!($name), value: $value, mask: $crate::mask_of($value) }] $($($rest)*)?)
    };
    ($abi:ident [$($done:expr),*] $name:ident $(, $($rest:tt)*)?) => {
        $crate::items!($abi [$($done,)* $crate::Item { name: stringify!($name), value: $crate::uapi::$abi::consts::$name, mask: $crate::mask_of($crate::uapi::$abi::consts::$name) }] $($($rest)*)?)
    };
}

/// As [`sets!`], for long lists of nothing but names (keys of a keyboard): no recursion, so no limit.
#[macro_export]
macro_rules! names {
    ($(#[$doc:meta])* pub decimal $NAME:ident $unknown:literal { $($name:ident),* $(,)? }) => {
        $crate::names! { @ [$(#[$doc])* pub $NAME] $unknown true $($name)* }
    };
    ($(#[$doc:meta])* pub $NAME:ident $unknown:literal { $($name:ident),* $(,)? }) => {
        $crate::names! { @ [$(#[$doc])* pub $NAME] $unknown false $($name)* }
    };
    (@ [$(#[$doc:meta])* pub $NAME:ident] $unknown:literal $decimal:literal $($name:ident)*) => {
        $(#[$doc])* #[doc = concat!("\n\nA value without a name is `", $unknown, "`.")] pub static $NAME: $crate::Set = $crate::Set::new(
            $unknown,
            &[$($crate::Item {
                name: stringify!($name),
                value: $crate::uapi::consts::$name,
                mask: $crate::mask_of($crate::uapi::consts::$name),
            }),*],
            $decimal,
        );
    };
}

/// A plain flag's mask is its value; a name of zero stands only for all bits clear.
#[doc(hidden)]
pub const fn mask_of(value: u64) -> u64 {
    if value == 0 { !0 } else { value }
}
