//! Arguments of a call, and the memory behind them, by their names in the call's row and its layouts.
//!
//! Trackers and rules read calls only through these accessors, and so understand each ABI as its row does. Memory is
//! as the program left it before the call. Members that only the kernel fills in are as the kernel left them.

use crate::{Call, Memory, Phase};
use stride_syscalls::structs::{memory::BUFFERS, socket::MMSGHDR, socket::MSGHDR};
use stride_syscalls::uapi::F;
use stride_syscalls::{CloseOnExec, Data, Dir, Len, OpenFlags, Struct, Syscall, Ty, table};

/// No path is longer, its NUL included.
const PATH_MAX: usize = 4096;
/// `sizeof(struct sockaddr_storage)`: no address is longer.
const ADDRESS_MAX: usize = 128;
/// The most strings of an argument vector that are read.
const STRINGS_MAX: usize = 1 << 13;

/// A struct in memory, as far as it was captured.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    call: &'a Call,
    layout: &'static Struct,
    phase: Phase,
    addr: u64,
}

/// The place and length of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its address in the tracee.
    pub addr: u64,
    /// Its length in bytes.
    pub len: u64,
}

impl Call {
    /// The row of the call, which has the call's effects.
    pub fn row(&self) -> Option<&'static Syscall> {
        table(self.abi).get(self.nr).map(|entry| entry.row)
    }

    /// The row that describes the arguments. For a multiplexed call: that of its operation.
    fn form(&self) -> Option<&'static Syscall> {
        self.row().map(|row| row.form(&self.args, self.abi))
    }

    /// The types of the arguments of this name, each with its registers' value. (clone3(2) has one for the struct
    /// that it is given, and one for the answer.)
    fn typed(&self, name: &str) -> impl Iterator<Item = (&'static Ty, u64)> {
        let row = self.form();
        let args = row.map_or(&[][..], |row| row.args).iter().enumerate();
        args.filter(move |(_, arg)| arg.name == name).filter_map(move |(at, arg)| {
            let row = row.filter(|row| row.has(arg, &self.args, self.abi))?;
            Some((&arg.ty, row.held(at, &self.args, self.abi)))
        })
    }

    /// The number or address in an argument, zero-extended from the width of its type. `None` if the call has no such
    /// argument. If a call takes its arguments from memory, such as i386's first mmap(2), the members are the
    /// arguments.
    pub fn arg(&self, name: &str) -> Option<u64> {
        if let Some((ty, held)) = self.typed(name).next() {
            return Some(cut(held, ty.size(self.abi)));
        }
        let row = self.form()?;
        row.args.iter().enumerate().find_map(|(at, arg)| {
            let Ty::Spread(layout) = arg.ty else { return None };
            let addr = row.held(at, &self.args, self.abi);
            Fields { call: self, layout, phase: Phase::Entry, addr }.get(name)
        })
    }

    /// A descriptor among the arguments, or `AT_FDCWD`.
    pub fn fd(&self, name: &str) -> Option<i32> {
        self.arg(name).map(|held| held as i32)
    }

    /// Flags, or 0 if the call has no such argument.
    pub fn flags(&self, name: &str) -> u64 {
        self.arg(name).unwrap_or(0)
    }

    /// The flags of a call that opens a file: `O_CREAT` and its like. 0 for any other call.
    pub fn open_flags(&self) -> u64 {
        let Some((row, at)) = self.form().and_then(|row| Some((row, row.open_flags()?))) else { return 0 };
        match at {
            OpenFlags::Argument(at) => cut(row.held(at, &self.args, self.abi), row.args[at].ty.size(self.abi)),
            OpenFlags::Member(at, member) => self.field(row.args[at].name, member).unwrap_or(0),
            OpenFlags::Always(flags) => flags,
        }
    }

    /// The path that an argument points to, without its NUL. `None` if it was not captured whole.
    pub fn path(&self, name: &str) -> Option<&[u8]> {
        let bytes = self.blocks.prefix(Phase::Entry, self.arg(name)?, PATH_MAX);
        bytes.iter().position(|byte| *byte == 0).map(|end| &bytes[..end])
    }

    /// As many of the `len` bytes behind a pointer as were captured at the call's entry.
    pub fn bytes(&self, name: &str, len: usize) -> &[u8] {
        self.arg(name).map_or(&[], |addr| self.blocks.prefix(Phase::Entry, addr, len))
    }

    /// The same at the call's return.
    pub fn answer(&self, name: &str, len: usize) -> &[u8] {
        self.arg(name).map_or(&[], |addr| self.blocks.prefix(Phase::Exit, addr, len))
    }

    /// True if execve(2) closes the descriptor that the call made.
    pub fn closes_on_exec(&self) -> bool {
        match self.row().and_then(Syscall::close_on_exec) {
            Some(CloseOnExec::Always) => true,
            Some(CloseOnExec::If(arg, bits)) => self.flags(arg) & bits != 0,
            Some(CloseOnExec::IfMember(arg, member, bits)) => {
                self.field(arg, member).is_some_and(|held| held & bits != 0)
            }
            Some(CloseOnExec::Never) | None => false,
        }
    }

    /// The `struct sockaddr` that the call was given, or that it gave back.
    pub fn address(&self) -> Option<&[u8]> {
        let row = self.form()?;
        row.args.iter().enumerate().find_map(|(at, arg)| {
            let Ty::Sockaddr(dir, len) = plain(&arg.ty) else { return None };
            let most = match len {
                Len::Of(len) => self.arg(len).map_or(0, |len| len as usize),
                _ => ADDRESS_MAX,
            };
            let addr = row.held(at, &self.args, self.abi);
            Some(self.blocks.prefix(phase(*dir), addr, most.min(ADDRESS_MAX)))
        })
    }

    /// The `struct sockaddr` of the other end of a message that the call sent or received. (Of several messages, none.)
    pub fn message_address(&self) -> Option<&[u8]> {
        self.address().or_else(|| {
            let message = self.fields("msg")?;
            let (addr, len) = (message.get("msg_name")?, message.get("msg_namelen")? as usize);
            let bytes = [Phase::Exit, Phase::Entry].map(|phase| self.blocks.prefix(phase, addr, len.min(ADDRESS_MAX)));
            bytes.into_iter().find(|bytes| !bytes.is_empty())
        })
    }

    /// The struct that an argument points to.
    pub fn fields(&self, name: &str) -> Option<Fields<'_>> {
        self.typed(name).filter(|(_, addr)| *addr != 0).find_map(|(ty, addr)| {
            let ty = match plain(ty) {
                Ty::Select(select) => self.form()?.choose(select, &self.args, self.abi),
                ty => *ty,
            };
            let (layout, dir) = match ty {
                Ty::Ptr(dir, Ty::Struct(layout)) => (*layout, dir),
                Ty::Extensible(dir, layout, ..) => (layout, dir),
                _ => return None,
            };
            Some(Fields { call: self, layout, phase: phase(dir), addr })
        })
    }

    /// A member of the struct that an argument points to. `None` if it was not captured, or does not exist.
    pub fn field(&self, name: &str, member: &str) -> Option<u64> {
        self.fields(name)?.get(member)
    }

    /// The strings of an argument vector, as far as they were captured. A vector may point to the same memory many
    /// times, so the strings together are limited to the size of all captured memory. Otherwise a few hundred bytes
    /// of a recording would take gigabytes.
    pub fn strings(&self, name: &str) -> Vec<&[u8]> {
        let word = self.abi.word();
        let addresses = self.bytes(name, STRINGS_MAX * word).chunks_exact(word).map(number);
        let mut room = self.blocks.size();
        let string = |addr| {
            let bytes = self.blocks.prefix(Phase::Entry, addr, PATH_MAX);
            let string = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
            room = room.checked_sub(string.len())?;
            Some(string)
        };
        addresses.take_while(|addr| *addr != 0).map_while(string).collect()
    }

    /// The two descriptors that a call like pipe(2) returned in memory.
    pub fn pair(&self) -> Option<[i32; 2]> {
        let row = self.form()?;
        let at = row.args.iter().position(|arg| matches!(plain(&arg.ty), Ty::Array(Dir::Out, Ty::Fd, _)))?;
        let bytes = self.blocks.read(Phase::Exit, row.held(at, &self.args, self.abi), 8)?;
        Some([&bytes[..4], &bytes[4..]].map(|fd| number(fd) as i32))
    }

    /// The events that a wait for descriptors told, of at most `most` descriptors: `revents` of poll(2), `events` of epoll_wait(2). (select(2) tells none.)
    pub fn told_events(&self, most: u64) -> impl Iterator<Item = u64> {
        let found = self.form().and_then(|row| {
            row.args.iter().enumerate().find_map(|(at, arg)| {
                let (Ty::Table(_, Ty::Struct(layout), ..) | Ty::Array(Dir::Out, Ty::Struct(layout), _)) =
                    plain(&arg.ty)
                else {
                    return None;
                };
                let member = ["revents", "events"].into_iter().find(|member| layout.field(member).is_some())?;
                Some((*layout, member, row.held(at, &self.args, self.abi)))
            })
        });
        found.into_iter().flat_map(move |(layout, member, addr)| {
            let size = layout.size(self.abi) as u64;
            let element = move |i: u64| addr.wrapping_add(i * size);
            (0..most)
                .map_while(move |i| Fields { call: self, layout, phase: Phase::Exit, addr: element(i) }.get(member))
        })
    }

    /// The headers of the messages that the call was given, at most `most`.
    fn headers(&self, most: u64) -> Vec<Fields<'_>> {
        let (Some(row), Some(transfer)) = (self.form(), self.row().and_then(Syscall::transfer)) else {
            return Vec::new();
        };
        if row.args.len() < 3 {
            return Vec::new();
        }
        let addr = row.held(1, &self.args, self.abi);
        let fields = |addr| Fields { call: self, layout: &MSGHDR, phase: Phase::Entry, addr };
        match transfer.data {
            Data::Message => vec![fields(addr)],
            Data::Messages => {
                let size = MMSGHDR.size(self.abi) as u64;
                (0..most.min(row.held(2, &self.args, self.abi))).map(|i| fields(addr.wrapping_add(i * size))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The ancillary data beside each message that the call was given (cmsg(3)), of at most `most` messages.
    pub fn ancillary(&self, most: u64) -> Vec<Piece> {
        let data =
            |header: Fields<'_>| Some(Piece { addr: header.get("msg_control")?, len: header.get("msg_controllen")? });
        self.headers(most).into_iter().filter_map(data).filter(|piece| piece.addr != 0 && piece.len != 0).collect()
    }

    /// The first buffer of each message that the call was given, for at most `most` messages.
    pub fn messages(&self, most: u64) -> Vec<Piece> {
        let (Some(row), Some(transfer)) = (self.form(), self.row().and_then(Syscall::transfer)) else {
            return Vec::new();
        };
        if row.args.len() < 3 {
            return Vec::new();
        }
        let [addr, len] = [1, 2].map(|at| row.held(at, &self.args, self.abi));
        let fields = |layout, addr| Fields { call: self, layout, phase: Phase::Entry, addr };
        let vector = |addr| {
            let first = fields(&BUFFERS, addr);
            Some(Piece { addr: first.get("iov_base")?, len: first.get("iov_len")? })
        };
        match transfer.data {
            Data::Bytes => vec![Piece { addr, len }],
            Data::Vector => vector(addr).into_iter().collect(),
            Data::Message | Data::Messages => {
                self.headers(most).into_iter().map_while(|header| vector(header.get("msg_iov")?)).collect()
            }
            Data::Records | Data::Nowhere => Vec::new(),
        }
    }
}

impl<'a> Fields<'a> {
    /// A member that is a number or an address, zero-extended. `None` if it was not captured, or does not exist.
    pub fn get(&self, name: &str) -> Option<u64> {
        let place = self.layout.field(name)?.place(self.call.abi);
        self.read(place, usize::from(place.size).min(8)).map(number)
    }

    /// The captured bytes between the members for which `left_out` is true: one piece, if there are none.
    pub fn without(&self, left_out: fn(&str) -> bool) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        const MOST: usize = 8;
        let (fields, abi) = (*self, self.call.abi);
        // Begin and end of each member that is left out, and the end of the struct.
        let mut holes = [(usize::MAX, usize::MAX); MOST + 1];
        let members = self.layout.fields.iter().filter(|field| left_out(field.name));
        for (hole, place) in holes.iter_mut().take(MOST).zip(members.map(|field| field.place(abi))) {
            *hole = (place.offset.into(), usize::from(place.offset) + place.bytes());
        }
        holes.sort_unstable();
        let size = self.layout.size(abi);
        let mut from = 0;
        holes.into_iter().filter_map(move |(begin, end)| {
            let piece = from..begin.min(size);
            from = end.min(size);
            if piece.is_empty() { None } else { fields.read_at(piece.start, piece.len()) }
        })
    }

    /// Memory that the call may change is also captured at its return. An engine that reads memory only once captures
    /// it only then.
    fn read(&self, place: F, len: usize) -> Option<&'a [u8]> {
        self.read_at(place.offset.into(), len)
    }

    fn read_at(&self, offset: usize, len: usize) -> Option<&'a [u8]> {
        let addr = self.addr.wrapping_add(offset as u64);
        let blocks = &self.call.blocks;
        blocks.read(self.phase, addr, len).or_else(|| {
            let other = if self.phase == Phase::Entry { Phase::Exit } else { return None };
            blocks.read(other, addr, len)
        })
    }
}

/// The type that is left when a decoder's own wrappers are taken off.
fn plain(ty: &'static Ty) -> &'static Ty {
    match ty {
        Ty::Custom(_, shape) | Ty::As(_, shape) => plain(shape),
        ty => ty,
    }
}

fn phase(dir: Dir) -> Phase {
    if dir.at_entry() { Phase::Entry } else { Phase::Exit }
}

fn cut(held: u64, width: usize) -> u64 {
    if width >= 8 { held } else { held & ((1 << (8 * width)) - 1) }
}

/// All ABIs are little-endian.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
