//! The parts of a file between which there are ways: functions, and tables with pointers.
//!
//! A part begins where a table of the file says so, or where something in the file leads, and ends where the next one begins.

use crate::image::{CodeMachine, MachineCode, Pointer};
use crate::isa::{Control, Isa, NamedAddress, Step};
use crate::{arm64::Arm64, x86::X86};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Where something leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum To {
    /// A part of the same file.
    Piece(u32),
    /// A name, by its place in [`CodePieces::wanted`].
    Wanted(u32),
}

/// The parts of a file.
pub struct CodePieces {
    /// Where each begins. (Its end is the beginning of the next one, or of another section.)
    starts: Vec<u64>,
    /// By the number of the part.
    ways: Vec<(u32, To)>,
    /// The parts that make system calls, in order.
    pub calling: Vec<u32>,
    /// Names that the file takes from itself or from others, and the words that have their addresses.
    pub wanted: Vec<(Box<[u8]>, Vec<u64>)>,
}

impl CodePieces {
    pub fn of(image: &MachineCode) -> CodePieces {
        match image.machine {
            CodeMachine::X86_64 => Scan::of::<X86>(image).pieces(image),
            CodeMachine::Arm64 => Scan::of::<Arm64>(image).pieces(image),
        }
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn at(&self, address: u64) -> Option<u32> {
        let behind = self.starts.partition_point(|start| *start <= address);
        behind.checked_sub(1).map(|piece| piece as u32)
    }

    pub fn start(&self, piece: u32) -> u64 {
        self.starts[piece as usize]
    }

    /// The addresses of a part, which may go beyond the end of its section.
    pub fn range(&self, piece: u32) -> Range<u64> {
        self.start(piece)..self.starts.get(piece as usize + 1).copied().unwrap_or(u64::MAX)
    }

    /// Where a part leads.
    pub fn ways_of(&self, piece: u32) -> impl Iterator<Item = To> + '_ {
        let from = self.ways.partition_point(|(of, _)| *of < piece);
        self.ways[from..].iter().take_while(move |(of, _)| *of == piece).map(|(_, to)| *to)
    }

    /// The code of a part.
    pub fn code<'i>(&self, image: &'i MachineCode, piece: u32) -> &'i [u8] {
        let range = self.range(piece);
        let Some((section, bytes)) = image.section_at(range.start) else { return &[] };
        let from = (range.start - section.start) as usize;
        let to = (range.end.min(section.end) - section.start) as usize;
        &bytes[from..to]
    }
}

/// The findings of one pass over all instructions.
#[derive(Default)]
struct Scan {
    /// An address of an instruction, and one that it names or jumps to.
    leads: Vec<(u64, u64)>,
    /// An address of an instruction, and that of a word that it reads or writes.
    words: Vec<(u64, u64)>,
    /// Addresses that are called or taken, and those in another section that are jumped to (stubs of the dynamic loader): each begins a part. A jump
    /// within a section may stay within a function, so its target begins none.
    called: Vec<u64>,
    calls: Vec<u64>,
    /// Addresses that control does not reach from the instruction before.
    ends: Vec<u64>,
}

impl Scan {
    fn of<I: Isa>(image: &MachineCode) -> Scan {
        let mut scan = Scan::default();
        for (range, bytes) in &image.code {
            let mut is_over = true;
            I::decode(bytes, range.start, image.fixed, |_, step| scan.step(image, range, &step, &mut is_over));
        }
        scan
    }

    fn step(&mut self, image: &MachineCode, section: &Range<u64>, step: &Step, is_over: &mut bool) {
        match step.names {
            Some(NamedAddress::Address(address)) if image.is_code(address) => {
                self.leads.push((step.at, address));
                self.called.push(address);
            }
            Some(NamedAddress::Address(address)) if image.is_data(address) => self.leads.push((step.at, address)),
            Some(NamedAddress::Word(address)) => self.words.push((step.at, address)),
            _ => {}
        }
        match step.flow {
            Control::Jump(Some(to)) | Control::Branch(to) | Control::Call(Some(to)) if image.is_code(to) => {
                self.leads.push((step.at, to));
                if matches!(step.flow, Control::Call(_)) || !section.contains(&to) {
                    self.called.push(to);
                }
            }
            Control::Syscall => self.calls.push(step.at),
            _ => {}
        }
        *is_over = match step.flow {
            Control::Nothing => *is_over,
            // A function that does not return may be the last thing that another one calls.
            flow => matches!(flow, Control::Jump(_) | Control::Stop | Control::Call(_)),
        };
        if *is_over {
            self.ends.push(step.next);
        }
    }

    fn pieces(mut self, image: &MachineCode) -> CodePieces {
        let mut starts = image.starts.clone();
        starts.retain(|start| image.is_code(*start) || image.is_data(*start));
        starts.extend(self.leads.iter().map(|(_, to)| *to).filter(|to| image.is_data(*to)));
        starts.extend(image.pointers.iter().filter_map(|(_, pointer)| match pointer {
            Pointer::Address(address) if image.is_code(*address) || image.is_data(*address) => Some(*address),
            _ => None,
        }));
        starts.append(&mut self.called);
        // No part goes on in another section.
        starts
            .extend(image.code.iter().map(|(range, _)| range.start).chain(image.data.iter().map(|range| range.start)));
        starts.sort_unstable();
        starts.dedup();
        let mut pieces = CodePieces { starts, ways: Vec::new(), calling: Vec::new(), wanted: Vec::new() };
        self.ways(image, &mut pieces);
        pieces
    }

    fn ways(&mut self, image: &MachineCode, pieces: &mut CodePieces) {
        let mut wanted = Wanted::default();
        let mut ways = Vec::new();
        // Where each word with a pointer leads.
        let to = |pointer: &Pointer, at: u64, wanted: &mut Wanted| match pointer {
            Pointer::Address(address) => pieces.at(*address).map(To::Piece),
            Pointer::Symbol(name) => Some(To::Wanted(wanted.add(name, at))),
        };
        let pointers: Vec<Option<To>> =
            image.pointers.iter().map(|(at, pointer)| to(pointer, *at, &mut wanted)).collect();
        for (from, to) in &self.leads {
            ways.extend(pieces.at(*from).zip(pieces.at(*to).map(To::Piece)));
        }
        for (from, word) in &self.words {
            let pointer = image.pointers.binary_search_by_key(word, |(at, _)| *at).ok();
            ways.extend(pieces.at(*from).zip(pointer.and_then(|pointer| pointers[pointer])));
        }
        for ((at, _), to) in image.pointers.iter().zip(&pointers) {
            ways.extend(pieces.at(*at).zip(*to));
        }
        // A function may go on in the next one.
        self.ends.sort_unstable();
        let sections: FxHashSet<u64> = image.code.iter().map(|(range, _)| range.start).collect();
        for (piece, start) in (0..).zip(&pieces.starts).skip(1) {
            if image.is_code(*start) && !sections.contains(start) && self.ends.binary_search(start).is_err() {
                ways.push((piece - 1, To::Piece(piece)));
            }
        }
        ways.sort_unstable();
        ways.dedup();
        pieces.calling = self.calls.iter().filter_map(|at| pieces.at(*at)).collect();
        pieces.ways = ways;
        pieces.wanted = wanted.all;
    }
}

/// The names so far, each once.
#[derive(Default)]
struct Wanted {
    by_name: FxHashMap<Box<[u8]>, u32>,
    all: Vec<(Box<[u8]>, Vec<u64>)>,
}

impl Wanted {
    /// The place of a name of which a word has the address.
    fn add(&mut self, name: &[u8], word: u64) -> u32 {
        let place = match self.by_name.get(name) {
            Some(place) => *place,
            None => {
                let place = self.all.len() as u32;
                self.by_name.insert(name.into(), place);
                self.all.push((name.into(), Vec::new()));
                place
            }
        };
        self.all[place as usize].1.push(word);
        place
    }
}
