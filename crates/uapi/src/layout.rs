//! How a C struct is described.

/// A struct or union as one ABI lays it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The C tag, or the typedef of a struct without one.
    pub name: &'static str,
    pub size: u32,
    /// In the order of the C text. Members of named inner structs follow them under dotted names
    /// (`ifr_ifru.ifru_addr`), members of anonymous ones have their plain name.
    pub fields: &'static [F],
}

/// What the argument of a request of ioctl(2) leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoctlArg {
    /// A struct or union.
    Struct(&'static Layout),
    /// Numbers, as many as the size in the request's number holds.
    Numbers {
        /// The bytes of each.
        size: u8,
        /// True if they have signs.
        signed: bool,
    },
    /// Characters or bytes.
    Text,
}

/// A field: where it is and how to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct F {
    pub name: &'static str,
    /// In bytes from the start of the outermost struct.
    pub offset: u16,
    /// Of one element.
    pub size: u16,
    pub signed: bool,
    pub pointer: bool,
    /// Elements: 1 is not an array, 0 is a flexible array.
    pub count: u16,
    /// Of a bit field: first bit within the byte at `offset`, and width. (0, 0) otherwise.
    pub bits: (u8, u8),
    /// The number of the member's meaning in the description of requests of ioctl(2). 0: none.
    pub meaning: u16,
}

impl Layout {
    /// The field of that name.
    ///
    /// In a `const` a misspelt name fails the build:
    /// ```compile_fail
    /// const X: stride_uapi::F = stride_uapi::structs_x86_64::timespec.at("tv_sek");
    /// ```
    /// ```
    /// const X: stride_uapi::F = stride_uapi::structs_x86_64::timespec.at("tv_sec");
    /// ```
    pub const fn at(&self, name: &str) -> F {
        match self.get(name) {
            Some(field) => field,
            None => panic!("the struct has no field of this name"),
        }
    }

    /// The field of that name, where it is not certain that there is one.
    pub const fn get(&self, name: &str) -> Option<F> {
        let mut index = 0;
        while index < self.fields.len() {
            if equal(self.fields[index].name.as_bytes(), name.as_bytes()) {
                return Some(self.fields[index]);
            }
            index += 1;
        }
        None
    }
}

impl F {
    /// The field with a meaning.
    pub(crate) const fn m(self, meaning: u16) -> F {
        F { meaning, ..self }
    }

    /// Bytes from the field's start to its end: all elements, or the bytes a bit field touches.
    pub const fn bytes(&self) -> usize {
        if self.bits.1 > 0 {
            return (self.bits.0 as usize + self.bits.1 as usize).div_ceil(8);
        }
        self.size as usize * self.count as usize
    }

    /// The offset after the field's last byte.
    pub const fn end(&self) -> usize {
        self.offset as usize + self.bytes()
    }
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// The generated files' short spelling of an unsigned field or a struct.
pub(crate) const fn f(name: &'static str, offset: u16, size: u16, count: u16) -> F {
    F { name, offset, size, signed: false, pointer: false, count, bits: (0, 0), meaning: 0 }
}

/// A signed field.
pub(crate) const fn s(name: &'static str, offset: u16, size: u16, count: u16) -> F {
    F { signed: true, ..f(name, offset, size, count) }
}

/// A pointer.
pub(crate) const fn p(name: &'static str, offset: u16, size: u16, count: u16) -> F {
    F { pointer: true, ..f(name, offset, size, count) }
}

/// A bit field.
pub(crate) const fn bit(name: &'static str, offset: u16, size: u16, signed: bool, first: u8, width: u8) -> F {
    F { signed, bits: (first, width), ..f(name, offset, size, 1) }
}
