//! Calls with plausible arguments, made from the rows that describe them.

use crate::arena::Stretch;
use crate::types::{element, is_as_long_as_result, is_set_size, leads_somewhere, lengths, needed, select_of};
use fastrand::Rng;
use std::collections::HashMap;
use stride_syscalls::{
    Abi, Case, Dir, Entry, Field, Irregular, Len, Note, Ret, Select, SelectKey, Set, Struct, Syscall, Ty, structs,
};

/// A call that is to be made.
#[derive(Clone)]
pub struct MadeCall {
    pub entry: Entry,
    pub args: [u64; 6],
    pub result: i64,
    pub stretch: Stretch,
}

/// Pointers within what pointers lead to are followed so often.
const DEPTH: u32 = 5;
/// A buffer has at most so many bytes, and an array so many elements, whatever its length says.
const MOST: u64 = 600;

/// Makes one call.
struct Maker<'r> {
    rng: &'r mut Rng,
    abi: Abi,
    stretch: Stretch,
    /// The values of the arguments so far, by name.
    args: HashMap<&'static str, u64>,
    /// The result that the call will have.
    result: i64,
}

/// Makes a call of this row. Its memory is the stretch with this number.
pub fn call(rng: &mut Rng, abi: Abi, entry: Entry, number: u64) -> MadeCall {
    let stretch = Stretch::new(number);
    let mut maker = Maker { rng, abi, stretch, args: HashMap::new(), result: 0 };
    let args = maker.arguments(entry.row);
    MadeCall { entry, args, result: maker.result, stretch: maker.stretch }
}

impl Maker<'_> {
    fn arguments(&mut self, row: &'static Syscall) -> [u64; 6] {
        let mut registers = [0; 6].map(|_: u64| self.any());
        // One argument may decide about the whole row.
        let mut row = row;
        let mut chosen: HashMap<&str, u64> = HashMap::new();
        if let Some(forms) = row.forms.filter(|_| self.rng.u8(..) > 20) {
            let form = &forms.cases[self.rng.usize(..forms.cases.len())];
            let value = form.values[self.rng.usize(..form.values.len())];
            chosen.extend(self.for_key(&forms.on, value));
            row = &form.row;
        }
        self.result = self.result_of(row.ret);
        let answer = row.args.iter().position(|arg| is_as_long_as_result(&arg.ty));
        if answer.is_some() {
            self.result = self.result.min(MOST as i64 / 4);
        }
        if self.result == 0 && row.args.iter().any(|arg| matches!(arg.ty, Ty::Custom(Irregular::LsmContexts, _))) {
            // The kernel returns an error if there is none.
            self.result = 1;
        }
        for arg in row.args {
            if let Some(select) = select_of(&arg.ty).filter(|select| !select.cases.is_empty()) {
                let Case(value, _) = select.cases[self.rng.usize(..select.cases.len())];
                if self.rng.u8(..) > 20 && !chosen.contains_key(select.on.arg) {
                    chosen.extend(self.for_key(&select.on, value));
                }
            }
        }
        let lengths: Vec<&str> = row.args.iter().flat_map(|arg| lengths(&arg.ty)).collect();
        let register = |i: usize| usize::from(row.args[i].register.unwrap_or(i as u8));
        // Pointers come last, because lengths and choices depend on other arguments.
        let (pointers, plain): (Vec<usize>, Vec<usize>) =
            (0..row.args.len()).partition(|&i| leads_somewhere(&row.args[i].ty));
        for &i in &plain {
            let arg = &row.args[i];
            let value = match chosen.get(arg.name) {
                Some(&value) => value,
                // The kernel takes no sets of other sizes.
                None if is_set_size(arg.name) && self.succeeds() => 8,
                None if lengths.contains(&arg.name) => self.length(),
                None => self.scalar(&arg.ty),
            };
            registers[register(i).min(5)] = value;
            self.args.insert(arg.name, value);
        }
        for &i in &pointers {
            let arg = &row.args[i];
            let scope = self.args.clone();
            let value = self.value(&arg.ty, &scope, DEPTH);
            registers[register(i).min(5)] = value;
            self.args.insert(arg.name, value);
        }
        // The answer fits into its room, which mostly is the argument behind it.
        let whole = row.args.iter().position(|arg| needed(&arg.ty, self.abi) > 0);
        if let Some(i) = answer.or(whole).filter(|_| self.succeeds())
            && let Some(room) = [i + 1, i.wrapping_sub(1)].into_iter().find(|i| plain.contains(i))
            && matches!(row.args[room].ty, Ty::Int | Ty::UInt | Ty::Long | Ty::ULong)
        {
            let spare = if self.rng.bool() { 0 } else { self.any() & 0x7fff_ffff };
            let value = needed(&row.args[i].ty, self.abi).max(self.result as u64) + spare;
            registers[register(room).min(5)] = value;
        }
        if self.result > 0 {
            self.count_ready(row);
        }
        registers
    }

    /// The result of poll(2) and select(2) is the number of what is ready.
    fn count_ready(&mut self, row: &Syscall) {
        let nfds = self.args.get("nfds").copied().unwrap_or(0) as u32 as u64;
        let bit = |bytes: &[u8], i: u64| bytes.get(i as usize / 8).is_some_and(|byte| byte >> (i % 8) & 1 != 0);
        let ready = match row.note {
            Some(Note::Ready) => {
                let fds = self.bytes_at("fds", 8 * nfds);
                fds.chunks_exact(8).take(nfds as usize).filter(|fd| fd[6..] != [0, 0]).count()
            }
            Some(Note::ReadySets) => ["readfds", "writefds", "exceptfds"]
                .iter()
                .map(|name| self.bytes_at(name, nfds.div_ceil(8)))
                .map(|set| (0..nfds.min(8 * set.len() as u64)).filter(|&i| bit(&set, i)).count())
                .sum(),
            _ => return,
        };
        self.result = ready as i64;
    }

    /// The memory to which an argument leads.
    fn bytes_at(&self, name: &str, len: u64) -> Vec<u8> {
        self.stretch.bytes(self.args.get(name).copied().unwrap_or(0), len)
    }

    /// The arguments for which the key has this value.
    fn for_key(&mut self, key: &SelectKey, value: u64) -> Vec<(&'static str, u64)> {
        match key.second {
            Some(second) => vec![(key.arg, value & 0xffff_ffff), (second, value >> 32)],
            None => {
                let others = if key.mask >= 0xffff_ffff || self.rng.bool() { 0 } else { self.rng.u64(..) & !key.mask };
                vec![(key.arg, (value | others & 0xffff_ffff) << key.shift)]
            }
        }
    }

    /// A number of any kind, with those at limits among them.
    fn any(&mut self) -> u64 {
        match self.rng.u8(..16) {
            0..4 => self.rng.u64(..10),
            4 => u64::MAX,
            5 => u64::from(u32::MAX),
            6 => 1 << self.rng.u32(..64),
            7 => (1u64 << self.rng.u32(..64)).wrapping_sub(1),
            8 => (-self.rng.i64(0..200)) as u64,
            9 => u64::from((-self.rng.i32(0..200)) as u32),
            10..13 => self.rng.u64(..100_000),
            13 => u64::from(self.rng.u32(..)),
            _ => self.rng.u64(..),
        }
    }

    /// True if the call succeeds. Then its memory is there, and lengths are those of memory.
    fn succeeds(&self) -> bool {
        self.result >= 0
    }

    fn length(&mut self) -> u64 {
        match self.rng.u8(..if self.succeeds() { 15 } else { 16 }) {
            0..8 => self.rng.u64(..6),
            8..13 => self.rng.u64(..64),
            13 => self.rng.u64(..MOST),
            14 => 0,
            _ => self.any(),
        }
    }

    fn of_set(&mut self, set: &'static Set, is_flags: bool) -> u64 {
        let items = set.of(self.abi).items;
        if items.is_empty() || self.rng.u8(..12) == 0 {
            return self.any();
        }
        let pick = |rng: &mut Rng| items[rng.usize(..items.len())].value;
        let mut value = pick(self.rng);
        if is_flags {
            for _ in 0..self.rng.u8(..4) {
                value |= pick(self.rng);
            }
            if self.rng.u8(..8) == 0 {
                value |= 1 << self.rng.u32(..32);
            }
        }
        value
    }

    /// A value that leads nowhere.
    fn scalar(&mut self, ty: &Ty) -> u64 {
        match ty {
            Ty::Flags(set) => self.of_set(set, true),
            Ty::Enum(set) => self.of_set(set, false),
            Ty::As(_, inner) | Ty::Custom(_, inner) | Ty::Reply(inner) | Ty::NonZero(inner) => self.scalar(inner),
            Ty::Fd | Ty::DirFd => match self.rng.u8(..8) {
                0..4 => self.rng.u64(..5),
                4 => u64::from((-100i32) as u32),
                5 => (-100i64) as u64,
                6 => u64::from(u32::MAX),
                _ => self.any(),
            },
            Ty::Signal if self.rng.u8(..4) > 0 => self.rng.u64(..66),
            Ty::Mode => u64::from(self.rng.u16(..)),
            Ty::Perm => self.rng.u64(..0o10000),
            Ty::ClockId => self.rng.u64(..14),
            _ => self.any(),
        }
    }

    /// A pointer to so many bytes, of which the first are these. It may lead into the hole, or behind it, or nowhere.
    fn pointer(&mut self, bytes: Vec<u8>) -> u64 {
        let len = bytes.len();
        match self.rng.u8(..40) {
            0 => return 0,
            1..=3 if self.succeeds() && (1..=200).contains(&len) => {
                let at = self.stretch.hole() - len as u64;
                self.stretch.put(at, bytes);
                return at;
            }
            1..=3 if self.succeeds() => {}
            1 => return self.stretch.hole() + self.rng.u64(..64),
            2 => return self.any(),
            // The last bytes are not there.
            3 => {
                let there = self.rng.usize(..=len.min(200));
                let at = self.stretch.hole() - there as u64;
                self.stretch.put(at, bytes[..there].to_vec());
                return at;
            }
            _ => {}
        }
        let odd = if self.rng.u8(..16) == 0 { self.rng.usize(..16) } else { 0 };
        let Some(at) = self.stretch.take(len + odd) else { return 0 };
        self.stretch.put(at + odd as u64, bytes);
        at + odd as u64
    }

    fn noise(&mut self, len: usize) -> Vec<u8> {
        let kind = self.rng.u8(..4);
        (0..len)
            .map(|_| match kind {
                0 => 0,
                1 => self.rng.u8(b' '..=b'~'),
                2 if self.rng.u8(..4) > 0 => 0,
                _ => self.rng.u8(..),
            })
            .collect()
    }

    fn text(&mut self) -> Vec<u8> {
        let len = match self.rng.u8(..16) {
            0 => 0,
            1 => 31 + self.rng.usize(..4),
            2 => self.rng.usize(..MOST as usize),
            _ => self.rng.usize(..20),
        };
        let odd = self.rng.u8(..4) == 0;
        let mut text: Vec<u8> =
            (0..len).map(|_| if odd { self.rng.u8(1..) } else { self.rng.u8(b'!'..=b'~') }).collect();
        if self.rng.u8(..3) == 0 {
            text.splice(0..0, *b"/tmp/");
        }
        text.push(0);
        text
    }

    /// The number of elements that a length stands for.
    fn count(&mut self, len: &Len, scope: &HashMap<&'static str, u64>, size: usize) -> usize {
        let named = |name: &str| scope.get(name).copied();
        let count = match len {
            Len::Fixed(n) => *n as u64,
            Len::Of(name) => named(name).unwrap_or(3),
            Len::Ret => self.result.max(0) as u64,
            Len::Units { of, less, unit } => {
                stride_syscalls::units(named(of).unwrap_or(3) & 0xffff_ffff, *less, unit.shift(self.abi))
            }
            // The bytes behind the pointer may be any.
            Len::Deref(_) => self.rng.u64(..130),
            Len::UntilZero => self.rng.u64(..5),
        };
        count.min(MOST / size.max(1) as u64 + 1) as usize
    }

    /// The value of an argument or member of this type. What it leads to is put into memory.
    fn value(&mut self, ty: &Ty, scope: &HashMap<&'static str, u64>, depth: u32) -> u64 {
        if depth == 0 {
            return self.any();
        }
        match ty {
            Ty::Path | Ty::Str => {
                let text = self.text();
                self.pointer(text)
            }
            Ty::Bytes(_, len) | Ty::Buffer(_, len, _) | Ty::Sockaddr(_, len) | Ty::SigSet(_, len) => {
                let count = self.count(len, scope, 1);
                let mut bytes = self.noise(count);
                if let (Ty::Sockaddr(..), [low, high, ..]) = (ty, &mut bytes[..]) {
                    (*low, *high) = (self.rng.u8(..46), 0);
                }
                self.pointer(bytes)
            }
            Ty::Ptr(_, inner) => self.several(inner, 1, scope, depth),
            Ty::Array(_, inner, len) | Ty::Table(_, inner, len, _) => {
                let count = self.count(len, scope, inner.size(self.abi));
                let ends = matches!(len, Len::UntilZero);
                self.several_ending(inner, count, ends, scope, depth)
            }
            Ty::Extensible(_, layout, len, _) => {
                let count = self.count(len, scope, 1);
                let mut bytes = vec![0; layout.size(self.abi).max(count)];
                if self.rng.bool() {
                    let rest = self.noise(bytes.len());
                    bytes.copy_from_slice(&rest);
                }
                self.strukt(layout, &mut bytes, depth);
                bytes.truncate(count.max(8));
                self.pointer(bytes)
            }
            Ty::Exchange(layout) | Ty::Turn(layout, _) | Ty::Spread(layout) => {
                let mut bytes = vec![0; layout.size(self.abi)];
                self.strukt(layout, &mut bytes, depth);
                self.pointer(bytes)
            }
            Ty::Iovec(_, len) => {
                let count = self.count(len, scope, 16).min(6);
                let mut bytes = Vec::new();
                for _ in 0..count {
                    let len = self.rng.usize(..48);
                    let content = self.noise(len);
                    let base = self.pointer(content);
                    bytes.extend_from_slice(&base.to_le_bytes());
                    bytes.extend_from_slice(&(len as u64).to_le_bytes());
                }
                self.pointer(bytes)
            }
            Ty::Select(select) => {
                let ty = self.selected(select);
                self.value(&ty, scope, depth)
            }
            Ty::Shapes(shapes) => {
                let shape = shapes[self.rng.usize(..shapes.len())];
                self.value(&shape, scope, depth)
            }
            Ty::Custom(which @ (Irregular::Dirents64 | Irregular::Dirents), _) => {
                let records = self.dirents(*which == Irregular::Dirents64);
                self.pointer(records)
            }
            Ty::Custom(Irregular::PathOut, _) => {
                let mut path = self.text();
                path.resize(self.result.clamp(1, MOST as i64) as usize, b'p');
                path.retain(|&byte| byte != 0);
                path.push(0);
                self.pointer(path)
            }
            Ty::Custom(Irregular::SchedAttr, Ty::Buffer(Dir::Out, ..)) => {
                let mut attr = self.noise(structs::sched::ATTR.size(self.abi));
                attr[..4].copy_from_slice(&[[48, 0, 0, 0], [56, 0, 0, 0]][self.rng.usize(..2)]);
                self.pointer(attr)
            }
            // The kernel reads whole words.
            Ty::Custom(Irregular::FdSet, Ty::Buffer(_, len, _)) => {
                let bytes = self.count(len, scope, 1).next_multiple_of(8);
                let set = self.noise(bytes);
                self.pointer(set)
            }
            Ty::Custom(Irregular::LenChange, _) => {
                let len = self.rng.u32(..140).to_le_bytes();
                self.pointer(len.to_vec())
            }
            Ty::As(_, inner) | Ty::Custom(_, inner) | Ty::Reply(inner) | Ty::NonZero(inner) => {
                self.value(inner, scope, depth)
            }
            Ty::Stack(_) => 0,
            _ => self.scalar(ty),
        }
    }

    /// Records of a directory, as many bytes as the call returns.
    fn dirents(&mut self, wide: bool) -> Vec<u8> {
        let mut out = Vec::new();
        for _ in 0..self.rng.usize(..6) {
            let from = out.len();
            out.extend(self.any().to_le_bytes());
            out.extend(self.any().to_le_bytes());
            out.extend([0; 2]);
            if wide {
                out.push(self.rng.u8(..16));
            }
            out.extend(self.text());
            out.resize(out.len().next_multiple_of(8), 0);
            if !wide {
                let last = out.len() - 1;
                out[last] = self.rng.u8(..16);
            }
            let len = (out.len() - from) as u16;
            out[from + 16..from + 18].copy_from_slice(&len.to_le_bytes());
        }
        if self.succeeds() {
            self.result = out.len() as i64;
        }
        out
    }

    /// The type that the arguments so far select.
    fn selected(&mut self, select: &'static Select) -> Ty {
        let value = |name: &str| self.args.get(name).copied().unwrap_or(0);
        let key = match select.on.second {
            Some(second) => SelectKey::both(value(select.on.arg), value(second)),
            None => value(select.on.arg) >> select.on.shift & select.on.mask,
        };
        select.cases.iter().find(|case| case.0 == key).map_or(select.default, |case| case.1)
    }

    fn several(&mut self, inner: &Ty, count: usize, scope: &HashMap<&'static str, u64>, depth: u32) -> u64 {
        self.several_ending(inner, count, false, scope, depth)
    }

    /// A pointer to so many values in a row.
    fn several_ending(
        &mut self,
        inner: &Ty,
        count: usize,
        ends: bool,
        scope: &HashMap<&'static str, u64>,
        depth: u32,
    ) -> u64 {
        let size = inner.size(self.abi).max(1);
        let mut bytes = vec![0; size * count];
        for element in bytes.chunks_mut(size) {
            self.inline(inner, element, scope, depth - 1);
        }
        if ends {
            bytes.resize(bytes.len() + size, 0);
        }
        self.pointer(bytes)
    }

    /// Fills the place of a value in memory.
    fn inline(&mut self, ty: &Ty, to: &mut [u8], scope: &HashMap<&'static str, u64>, depth: u32) {
        match ty {
            Ty::Struct(layout) => self.strukt(layout, to, depth),
            Ty::Blob(_) => {
                let noise = self.noise(to.len());
                to.copy_from_slice(&noise);
            }
            Ty::CStr => {
                let text = self.text();
                let len = text.len().min(to.len());
                to[..len].copy_from_slice(&text[..len]);
            }
            Ty::Custom(_, inner) | Ty::Reply(inner) | Ty::NonZero(inner) if ty.is_inline() => {
                self.inline(inner, to, scope, depth);
            }
            _ => {
                let value = self.value(ty, scope, depth).to_le_bytes();
                let len = to.len().min(8);
                to[..len].copy_from_slice(&value[..len]);
            }
        }
    }

    fn strukt(&mut self, layout: &'static Struct, to: &mut [u8], depth: u32) {
        if depth == 0 {
            return;
        }
        if self.rng.u8(..4) == 0 {
            let noise = self.noise(to.len());
            to.copy_from_slice(&noise);
        }
        let lengths: Vec<&str> = layout.fields.iter().flat_map(|field| lengths(&field.ty)).collect();
        let mut scope = self.args.clone();
        let (pointers, plain): (Vec<&Field>, Vec<&Field>) =
            layout.fields.iter().partition(|field| leads_somewhere(&field.ty) && !field.ty.is_inline());
        for field in plain.into_iter().chain(pointers) {
            let place = field.place(self.abi);
            let (from, size) = (usize::from(place.offset), usize::from(place.size));
            if self.rng.u8(..12) == 0 || from >= to.len() || size == 0 {
                continue;
            }
            if place.bits != (0, 0) {
                continue;
            }
            if place.count != 1 || field.ty.is_inline() {
                let inner = element(&field.ty);
                let whole = (from + size * usize::from(place.count.max(1))).min(to.len());
                let each = match field.ty {
                    Ty::CStr | Ty::Blob(_) => whole - from,
                    _ => size,
                };
                for to in to[from..whole].chunks_mut(each.max(1)) {
                    self.inline(inner, to, &scope, depth - 1);
                }
                continue;
            }
            let end = (from + size).min(to.len());
            let value = match field.name {
                name if is_set_size(name) && self.succeeds() => 8,
                name if lengths.contains(&name) => self.length(),
                _ => self.value(&field.ty, &scope, depth - 1),
            };
            scope.insert(field.name, value);
            to[from..end].copy_from_slice(&value.to_le_bytes()[..(end - from).min(8)]);
        }
    }

    fn result_of(&mut self, ret: Ret) -> i64 {
        match (self.rng.u8(..20), ret) {
            (0..4, _) => -self.rng.i64(1..134),
            (4, _) => -[512, 513, 514, 516, 515, 4095, 600][self.rng.usize(..7)],
            (5, Ret::Size | Ret::Addr) => (self.any() >> 1) as i64,
            (5, _) => (self.any() & 0x7fff_ffff) as i64,
            (_, Ret::Size) => self.rng.i64(0..100),
            (_, Ret::Fd) => self.rng.i64(3..20),
            (_, Ret::Addr) => (self.rng.i64(0..1 << 35)) << 12,
            (_, Ret::Flags(set)) => (self.of_set(set, true) as i64).max(0),
            (_, Ret::Enum(set)) => (self.of_set(set, false) as i64).max(0),
            (6..14, _) => 0,
            (14..18, _) => self.rng.i64(0..6),
            _ => self.rng.i64(0..300),
        }
    }
}
