//! Struct layouts, as decoders and capture plans see them.

use crate::{Abi, Ty};
use stride_uapi::F;

/// A C struct: which members are shown, in which order, as what.
#[derive(Debug)]
pub struct Struct {
    pub name: &'static str,
    /// Size in bytes on the native ABI and on i386.
    pub size: [u16; 2],
    pub fields: &'static [Field],
}

#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name shown.
    pub name: &'static str,
    pub ty: Ty,
    /// Where the member lies on the native ABI and on i386.
    pub at: [F; 2],
    /// Shown only with `-v` / `-e abbrev=!call`; its absence is marked with `...`.
    pub verbose: bool,
}

const fn index(abi: Abi) -> usize {
    match abi {
        Abi::I386 => 1,
        Abi::X86_64 | Abi::Aarch64 => 0,
    }
}

impl Struct {
    pub const fn size(&self, abi: Abi) -> usize {
        self.size[index(abi)] as usize
    }

    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|f| f.name == name)
    }
}

impl Field {
    pub const fn place(&self, abi: Abi) -> F {
        self.at[index(abi)]
    }
}

/// Declares a [`Struct`]. Offsets and sizes come from the generated layout of the C struct named after `=`;
/// a misspelt member fails the build.
///
/// ```text
/// structs! {
///     /// stat(2): asm/stat.h
///     pub STAT = stat { [v] st_dev: Ty::Dev, st_mode: Ty::Mode, shown = "uapi.name": Ty::Int }
/// }
/// ```
/// `[v]` marks a member shown only with `-v`.
#[macro_export]
macro_rules! structs {
    ($($(#[$doc:meta])* pub $NAME:ident = $c:ident { $($([$v:ident])? $field:ident $(= $path:literal)? : $ty:expr),* $(,)? })*) => {
        $($(#[$doc])* pub static $NAME: $crate::Struct = $crate::Struct {
            name: stringify!($c),
            size: [$crate::uapi::structs_x86_64::$c.size as u16, $crate::uapi::structs_i386::$c.size as u16],
            fields: &[$($crate::Field {
                name: stringify!($field),
                ty: $ty,
                at: [
                    $crate::uapi::structs_x86_64::$c.at($crate::member!($field $($path)?)),
                    $crate::uapi::structs_i386::$c.at($crate::member!($field $($path)?)),
                ],
                verbose: $crate::verbose!($($v)?),
            }),*],
        };)*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! member {
    ($field:ident) => { stringify!($field) };
    ($field:ident $path:literal) => { $path };
}

#[doc(hidden)]
#[macro_export]
macro_rules! verbose {
    () => { false };
    (v) => { true };
}
