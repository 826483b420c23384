//! Patterns for the kernel side (`bpf/glob.h`).

use crate::wire::{bound, glob, glob_atom};
use stride_event::{Atom, Glob, Machine};

/// All patterns, those for threads' names first.
pub fn tables(machine: &Machine) -> Vec<glob> {
    machine.comm.iter().chain(&machine.exe).map(lower).collect()
}

fn lower(from: &Glob) -> glob {
    let mut to = glob { n: from.atoms.len() as u32, inverted: u32::from(from.inverted), ..glob::default() };
    let mut classes = 0;
    for (to_atom, atom) in to.atoms.iter_mut().zip(&from.atoms) {
        *to_atom = match *atom {
            Atom::Byte(byte) => byte.into(),
            Atom::Any => glob_atom::GLOB_ANY.0 as u16,
            Atom::Star => glob_atom::GLOB_STAR.0 as u16,
            Atom::Class(bits) => {
                let at = classes % to.classes.len();
                to.classes[at].bits = bits;
                classes += 1;
                (glob_atom::GLOB_CLASS.0 as usize + at) as u16
            }
        };
    }
    to
}

const _: () = assert!(bound::GLOB_MAX.0 as usize == Glob::ATOMS && bound::GLOB_CLASSES.0 as usize == Glob::CLASSES);
const _: () = assert!(bound::MOST_GLOBS.0 as usize == Machine::GLOBS);
