//! Struct layouts, as decoders and capture plans see them.

use crate::{Abi, Ty, When};
use stride_uapi::F;

/// A C struct: which members are shown, in which order, as what.
#[derive(Debug)]
pub struct Struct {
    /// The name of the C struct.
    pub name: &'static str,
    /// Size in bytes, by ABI.
    pub size: [u16; Abi::ALL.len()],
    /// The members that are shown, in this order.
    pub fields: &'static [Field],
}

/// A member of a struct.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name shown.
    pub name: &'static str,
    /// The type.
    pub ty: Ty,
    /// The offset of the member, by ABI.
    pub at: [F; Abi::ALL.len()],
    /// Shown only with `-v` / `-e abbrev=!call`; its absence is marked with `...`.
    pub verbose: bool,
    /// The member is shown only if another member has a value that allows it.
    pub when: When,
}

impl Struct {
    /// The size in bytes.
    pub const fn size(&self, abi: Abi) -> usize {
        self.size[abi as usize] as usize
    }

    /// The member of this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|f| f.name == name)
    }
}

impl Field {
    /// The offset of the member.
    pub const fn place(&self, abi: Abi) -> F {
        self.at[abi as usize]
    }
}

/// Declares a [`Struct`]. Offsets and sizes come from the generated layout of the C struct named after `=`;
/// a misspelt member fails the build.
///
/// ```text
/// structs! {
///     /// stat(2): asm/stat.h
///     pub STAT = stat { [v] st_dev: Ty::Dev, st_mode: Ty::Mode, shown = "uapi.name": Ty::Int, pix as "fmt.pix": Ty::Int }
/// }
/// ```
/// `as` shows a member under a name that is no identifier: its path.
/// `[v]` marks a member shown only with `-v`. `name: ty => When::AnySet("stx_mask", &[0x4])` is shown only when
/// the other member says so. A struct that only one ABI has is declared with
/// `= i386 stat64 {…}` or `= x86_64 …`.
#[macro_export]
macro_rules! structs {
    () => {};
    ($(#[$doc:meta])* pub $NAME:ident = i386 $c:ident { $($body:tt)* } $($rest:tt)*) => {
        $crate::strukt!([i386] [$(#[$doc])* pub $NAME] $c { $($body)* });
        $crate::structs! { $($rest)* }
    };
    ($(#[$doc:meta])* pub $NAME:ident = x86_64 $c:ident { $($body:tt)* } $($rest:tt)*) => {
        $crate::strukt!([x86_64] [$(#[$doc])* pub $NAME] $c { $($body)* });
        $crate::structs! { $($rest)* }
    };
    ($(#[$doc:meta])* pub $NAME:ident = $c:ident { $($body:tt)* } $($rest:tt)*) => {
        $crate::uapi::with_abis! { { $crate::strukt } [$(#[$doc])* pub $NAME] $c { $($body)* } }
        $crate::structs! { $($rest)* }
    };
}

/// One struct of [`structs!`], with the ABIs its layouts come from: all, or the only one that has it.
#[doc(hidden)]
#[macro_export]
macro_rules! strukt {
    ($abis:tt [$(#[$doc:meta])* pub $NAME:ident] $c:ident {
        $($([$v:ident])? $field:ident $(as $shown:literal)? $(= $path:literal)? : $ty:expr $(=> $when:expr)?),* $(,)?
    }) => {
        $(#[$doc])* #[doc = concat!("\n\n`struct ", stringify!($c), "`")] pub static $NAME: $crate::Struct = $crate::Struct {
            name: stringify!($c),
            size: $crate::sizes!($abis $c),
            fields: &[$($crate::Field {
                name: $crate::member!($field $($shown)?),
                ty: $ty,
                at: $crate::places!($abis $c, $crate::member!($field $($shown)? $($path)?)),
                verbose: $crate::verbose!($($v)?),
                when: $crate::when!($($when)?),
            }),*],
        };
    };
}

/// The size of a struct by ABI.
#[doc(hidden)]
#[macro_export]
macro_rules! sizes {
    ([$only:ident] $c:ident) => {
        [$crate::uapi::$only::structs::$c.size as u16; $crate::Abi::ALL.len()]
    };
    ([$($abi:ident)*] $c:ident) => {
        [$($crate::uapi::$abi::structs::$c.size as u16),*]
    };
}

/// The place of a member by ABI.
#[doc(hidden)]
#[macro_export]
macro_rules! places {
    ([$only:ident] $c:ident, $member:expr) => {
        [$crate::uapi::$only::structs::$c.at($member); $crate::Abi::ALL.len()]
    };
    ([$($abi:ident)*] $c:ident, $member:expr) => {
        [$($crate::uapi::$abi::structs::$c.at($member)),*]
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! member {
    ($field:ident) => {
        $crate::plain(stringify!($field))
    };
    ($field:ident $path:literal) => {
        $path
    };
    ($field:ident $shown:literal $path:literal) => {
        $path
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! verbose {
    () => {
        false
    };
    (v) => {
        true
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! when {
    () => {
        $crate::When::Always
    };
    ($when:expr) => {
        $when
    };
}

/// A member's C name: one that is a keyword of Rust is declared as `r#type`.
#[doc(hidden)]
pub const fn plain(name: &str) -> &str {
    match name.as_bytes() {
        [b'r', b'#', rest @ ..] => match str::from_utf8(rest) {
            Ok(name) => name,
            Err(_) => name,
        },
        _ => name,
    }
}
