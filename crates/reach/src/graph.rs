//! The ways through all files of a program, from its own code to instructions that make system calls.

use crate::image::{CodeMachine, MachineCode};
use crate::isa::{Control, Isa, NamedAddress, Step, ValuePlace};
use crate::numbers::FunctionBody;
use crate::pieces::{CodePieces, To};
use crate::{arm64::Arm64, x86::X86};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};
use stride_syscalls::{Abi, table};

/// How often a number is passed on from function to function: Go's `syscall.Syscall` takes three.
const MOST_PASSED: usize = 8;
/// The steps of all searches for numbers. If there are more, the rest of the numbers is unknown.
const MOST_STEPS: u64 = 100_000_000;

/// The calls that can be reached.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReachedCalls {
    /// By name, with the shortest way to each.
    pub calls: BTreeMap<&'static str, WayToCall>,
    /// Files with instructions whose numbers are not known, and how many each has.
    pub unknown: BTreeMap<String, u64>,
}

/// A way to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayToCall {
    /// The file whose code uses the function.
    pub file: String,
    /// The function of a library that the file uses, or its own function that makes the call. Empty if that has no name.
    pub function: String,
}

struct File {
    name: String,
    image: MachineCode,
    pieces: CodePieces,
    /// The numbers of calls that each part makes.
    numbers: FxHashMap<u32, Vec<u64>>,
    unknown: FxHashMap<u32, u64>,
    /// The parts that take a number from their caller, and where.
    passing: FxHashMap<u32, ValuePlace>,
}

impl File {
    /// The name by which other files need this one.
    fn soname(&self) -> &[u8] {
        self.image.soname.as_deref().unwrap_or(self.name.as_bytes())
    }
}

/// The ways so far: the nearest parts come first.
#[derive(Default)]
struct Walk {
    reached: ReachedCalls,
    seen: FxHashSet<At>,
    /// Parts, and the file and the name by which another file was entered last.
    open: VecDeque<(At, Option<(usize, u32)>)>,
}

/// A part of a file.
type At = (usize, u32);

/// The calls that the code of these files can make. The name of each file is for people. `is_program`: it was executed.
pub fn reachable(files: impl IntoIterator<Item = (String, bool, MachineCode)>) -> ReachedCalls {
    let mut programs = Vec::new();
    let mut all = Vec::new();
    for (name, is_program, image) in files {
        programs.extend(is_program.then_some(all.len()));
        let pieces = CodePieces::of(&image);
        let (numbers, unknown, passing) = Default::default();
        all.push(File { name, image, pieces, numbers, unknown, passing });
    }
    let mut graph = Graph { files: all, exported: FxHashMap::default(), steps_left: MOST_STEPS };
    graph.link();
    graph.find_numbers();
    graph.reached(&programs)
}

struct Graph {
    files: Vec<File>,
    /// The first file that has a name is the one that others get it from.
    exported: FxHashMap<Box<[u8]>, At>,
    steps_left: u64,
}

impl Graph {
    fn link(&mut self) {
        for (index, file) in self.files.iter().enumerate() {
            for (name, address) in &file.image.exports {
                if let Some(piece) = file.pieces.at(*address) {
                    self.exported.entry(name.clone()).or_insert((index, piece));
                }
            }
        }
    }

    fn resolve(&self, file: usize, to: To) -> Option<At> {
        match to {
            To::Piece(piece) => Some((file, piece)),
            To::Wanted(name) => self.exported.get(&self.files[file].pieces.wanted[name as usize].0).copied(),
        }
    }

    /// The numbers of all calls. A function that takes the number from its callers has them looked at in the next round.
    fn find_numbers(&mut self) {
        let mut fresh: FxHashSet<At> = FxHashSet::default();
        for index in 0..self.files.len() {
            let mut calling = std::mem::take(&mut self.files[index].pieces.calling);
            calling.dedup();
            for piece in calling {
                let asks = |step: &Step| (step.flow == Control::Syscall).then_some(None);
                self.look_into((index, piece), asks, &mut fresh);
            }
        }
        for _ in 0..MOST_PASSED {
            if fresh.is_empty() {
                break;
            }
            let passing = std::mem::take(&mut fresh);
            for at in self.callers(&passing) {
                let places = self.called_places(at, &passing);
                let asks = |step: &Step| match step.flow {
                    Control::Call(Some(to)) | Control::Jump(Some(to)) => places.get(&to).map(|place| Some(*place)),
                    Control::Call(None) | Control::Jump(None) => match step.names {
                        Some(NamedAddress::Word(slot)) => places.get(&slot).map(|place| Some(*place)),
                        _ => None,
                    },
                    _ => None,
                };
                self.look_into(at, asks, &mut fresh);
            }
        }
    }

    /// The parts that lead to one of these.
    fn callers(&self, to: &FxHashSet<At>) -> Vec<At> {
        let mut callers = Vec::new();
        for (index, file) in self.files.iter().enumerate() {
            let leads = |piece: &u32| {
                file.pieces.ways_of(*piece).any(|way| self.resolve(index, way).is_some_and(|at| to.contains(&at)))
            };
            callers.extend((0..file.pieces.len() as u32).filter(leads).map(|piece| (index, piece)));
        }
        callers
    }

    /// The addresses and slots by which a part calls one of these, and where that takes the number from.
    fn called_places(&self, (file, piece): At, passing: &FxHashSet<At>) -> FxHashMap<u64, ValuePlace> {
        let of = &self.files[file];
        let mut places = FxHashMap::default();
        for way in of.pieces.ways_of(piece) {
            let Some(at) = self.resolve(file, way).filter(|at| passing.contains(at)) else { continue };
            let Some(place) = self.files[at.0].passing.get(&at.1).copied() else { continue };
            match way {
                To::Piece(to) => _ = places.insert(of.pieces.start(to), place),
                To::Wanted(name) => {
                    let (_, words) = &of.pieces.wanted[name as usize];
                    places.extend(words.iter().map(|word| (*word, place)));
                }
            }
        }
        places
    }

    fn look_into(
        &mut self,
        (file, piece): At,
        asks: impl Fn(&Step) -> Option<Option<ValuePlace>>,
        fresh: &mut FxHashSet<At>,
    ) {
        let of = &mut self.files[file];
        let found = match of.image.machine {
            CodeMachine::X86_64 => look_into::<X86>(of, piece, asks, &mut self.steps_left),
            CodeMachine::Arm64 => look_into::<Arm64>(of, piece, asks, &mut self.steps_left),
        };
        of.numbers.entry(piece).or_default().extend(found.numbers);
        if found.unknown > 0 {
            *of.unknown.entry(piece).or_default() += found.unknown;
        }
        if let Some(place) = found.argument
            && !of.passing.contains_key(&piece)
        {
            of.passing.insert(piece, place);
            fresh.insert((file, piece));
        }
    }

    /// The calls on all ways from these programs.
    fn reached(&self, programs: &[usize]) -> ReachedCalls {
        let mut walk = Walk::default();
        // A way from the program says more than one from the beginning of a library.
        for &index in programs {
            walk.open.extend((0..self.files[index].pieces.len() as u32).map(|piece| ((index, piece), None)));
        }
        self.walk(&mut walk);
        let at_start = self.loaded_at_start(programs);
        for (index, file) in self.files.iter().enumerate() {
            let mut roots: Vec<u64> = file.image.roots.clone();
            if !at_start.contains(&index) && !file.image.is_interpreter() {
                roots.extend(file.image.exports.values());
            }
            let pieces = roots.into_iter().filter_map(|address| file.pieces.at(address));
            walk.open.extend(pieces.map(|piece| ((index, piece), None)));
        }
        self.walk(&mut walk);
        walk.reached
    }

    fn walk(&self, walk: &mut Walk) {
        while let Some((at, via)) = walk.open.pop_front() {
            if !walk.seen.insert(at) {
                continue;
            }
            self.calls_at(at, via, &mut walk.reached);
            let file = at.0;
            for way in self.files[file].pieces.ways_of(at.1) {
                let Some(to) = self.resolve(file, way).filter(|to| !walk.seen.contains(to)) else { continue };
                let via = match way {
                    To::Wanted(name) if to.0 != file => Some((file, name)),
                    _ => via,
                };
                walk.open.push_back((to, via));
            }
        }
    }

    /// The programs, and the libraries that they need, directly or through others. Everything else was loaded on demand.
    fn loaded_at_start(&self, programs: &[usize]) -> FxHashSet<usize> {
        let by_name: FxHashMap<&[u8], usize> =
            self.files.iter().enumerate().map(|(index, file)| (file.soname(), index)).collect();
        let mut loaded: FxHashSet<usize> = programs.iter().copied().collect();
        let mut open: Vec<usize> = programs.to_vec();
        while let Some(index) = open.pop() {
            let needed = self.files[index].image.needed.iter().filter_map(|name| by_name.get(&**name).copied());
            open.extend(needed.filter(|index| loaded.insert(*index)));
        }
        loaded
    }

    fn calls_at(&self, (file, piece): At, via: Option<(usize, u32)>, reached: &mut ReachedCalls) {
        let of = &self.files[file];
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let way = || match via {
            Some((from, name)) => {
                let from = &self.files[from];
                WayToCall { file: from.name.clone(), function: text(&from.pieces.wanted[name as usize].0) }
            }
            None => {
                let range = of.pieces.range(piece);
                let behind = of.image.names.partition_point(|(address, _)| *address <= range.start);
                let name = behind
                    .checked_sub(1)
                    .map(|name| &of.image.names[name])
                    .filter(|(address, _)| *address == range.start);
                WayToCall { file: of.name.clone(), function: name.map_or_else(String::new, |(_, name)| text(name)) }
            }
        };
        let abi = match of.image.machine {
            CodeMachine::X86_64 => Abi::X86_64,
            CodeMachine::Arm64 => Abi::Aarch64,
        };
        for number in of.numbers.get(&piece).into_iter().flatten() {
            if let Some(entry) = table(abi).get(*number) {
                reached.calls.entry(entry.row.name).or_insert_with(way);
            }
        }
        if let Some(unknown) = of.unknown.get(&piece) {
            *reached.unknown.entry(of.name.clone()).or_default() += unknown;
        }
    }
}

#[derive(Default)]
struct Found {
    numbers: Vec<u64>,
    unknown: u64,
    argument: Option<ValuePlace>,
}

/// Looks for numbers in a part: those of its own calls (`None`), and those that it gives to other functions, which take them from a place.
fn look_into<I: Isa>(
    file: &File,
    piece: u32,
    asks: impl Fn(&Step) -> Option<Option<ValuePlace>>,
    steps_left: &mut u64,
) -> Found {
    let body = FunctionBody::<I>::of(file.pieces.code(&file.image, piece), file.pieces.start(piece));
    let mut found = Found::default();
    for (index, step) in body.steps() {
        let Some(place) = asks(step) else { continue };
        let place = match (place, step.flow) {
            (None, _) => I::NUMBER,
            (Some(argument), Control::Call(_)) => I::before_call(argument),
            // A jump to a function leaves the arguments where they are.
            (Some(argument), _) => argument,
        };
        let values = body.values(index, place, steps_left);
        found.numbers.extend(values.constants.iter().copied());
        found.unknown += u64::from(values.unknown);
        found.argument = found.argument.or(values.arguments.first().copied());
    }
    found
}
