//! A syscall's row.

use crate::ioctl::twins;
use crate::{Abi, Class, CloseOnExec, Effect, Facility, For, SelectKey, Set, StartsAt, Thing, Transfer, Ty};

/// One system call, as its man page writes it.
#[derive(Debug)]
pub struct Syscall {
    /// The name by which the kernel's tables know the call.
    pub name: &'static str,
    /// The classes of `-e trace=%CLASS`.
    pub class: Class,
    /// The meaning of a successful return value.
    pub ret: Ret,
    /// The arguments, in the order of the man page.
    pub args: &'static [Arg],
    /// The forms of the call for certain values of one argument, if that changes more than a type.
    pub forms: Option<Forms>,
    /// The effects of the call beyond what the types say.
    pub effects: &'static [Effect],
    /// The note that is shown in parentheses behind the return value.
    pub note: Option<Note>,
    /// The kernel's names of arguments, as its tracepoints have them, where they differ from those of the man page:
    /// pairs of the man page's name and the kernel's. The row has those of its forms.
    pub kernel_names: &'static [(&'static str, &'static str)],
    /// Capabilities that the call may need for some arguments or objects (capabilities(7)), beside those that follow from its effects.
    pub may_need: &'static [u64],
}

/// A note that is shown in parentheses behind a return value, if the type alone does not say enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// A flag word or an enumeration, as fcntl's operation says.
    Fcntl,
    /// A number whose meaning the request of ioctl(2) tells.
    Ioctl,
    /// A word whose meaning the operation of prctl(2) tells.
    Prctl,
    /// The class and level of an I/O priority.
    IoPriority,
    /// An execution domain with flags: personality(2).
    Persona,
    /// The commands that membarrier(2) supports.
    Membarrier,
    /// The entry that set_thread_area(2) chose.
    ThreadArea,
    /// A scheduling policy.
    SchedPolicy,
    /// The signal whose number is returned.
    Signal,
    /// The disposition that the signal had.
    Disposition,
    /// The mask that is returned, and the one that was in force before.
    Mask,
    /// The signal mask that was in force before.
    OldMask,
    /// The state of the clock.
    ClockState,
    /// A moment, as a date.
    Moment,
    /// The ready descriptors, and the remaining time.
    Ready,
    /// The ready descriptors of each set of select(2), and the remaining time.
    ReadySets,
    /// That the time ran out, or how much of it is left.
    TimeLeft,
    /// The namespaces that the thread or its child is in afterwards (`--namespace`), as the flags in this argument say.
    Namespaces(&'static str),
}

/// The forms of a multiplexed call (keyctl, quotactl): one argument decides which row describes it.
#[derive(Debug, Clone, Copy)]
pub struct Forms {
    /// The argument that decides.
    pub on: SelectKey,
    /// The forms, by its value.
    pub cases: &'static [Form],
}

/// The row for these values of the key. Its arguments contain no [`Ty::Select`].
#[derive(Debug)]
pub struct Form {
    /// The values of the key.
    pub values: &'static [u64],
    /// The row for these values.
    pub row: Syscall,
}

/// Makes the form for these values of the key.
pub const fn form(values: &'static [u64], row: Syscall) -> Form {
    Form { values, row }
}

/// An argument of a call.
#[derive(Debug, Clone, Copy)]
pub struct Arg {
    /// The name that the man page has.
    pub name: &'static str,
    /// The type.
    pub ty: Ty,
    /// The condition under which the call has this argument.
    pub when: When,
    /// The register of the argument, if that is not its position among the shown arguments.
    pub register: Option<u8>,
    /// Its name is always shown (clone's arguments are in another order than its man page has).
    pub named: bool,
    /// The directory at which a relative path in this argument begins.
    pub starts: StartsAt,
}

/// The condition under which an argument or member exists. If it does not exist, it is not shown.
#[derive(Debug, Clone, Copy)]
pub enum When {
    /// It always exists.
    Always,
    /// A register that the call does not use, or that another argument's decoder reads.
    Never,
    /// Any of these masks is wholly set in the sibling: open's `mode` with `O_CREAT` or `O_TMPFILE`.
    AnySet(&'static str, &'static [u64]),
    /// The sibling, masked, is one of these values.
    OneOf(&'static str, u64, &'static [u64]),
    /// The sibling, masked, is none of these values.
    NoneOf(&'static str, u64, &'static [u64]),
    /// Any of these conditions holds.
    AnyOf(&'static [When]),
    /// All of these conditions hold.
    AllOf(&'static [When]),
}

impl When {
    /// Decides by the sibling that `value` looks up.
    pub fn holds(&self, value: &dyn Fn(&str) -> u64) -> bool {
        match *self {
            When::Always => true,
            When::Never => false,
            When::AnySet(on, masks) => {
                let v = value(on);
                masks.iter().any(|m| v & m == *m)
            }
            When::OneOf(on, mask, values) => values.contains(&(value(on) & mask)),
            When::NoneOf(on, mask, values) => !values.contains(&(value(on) & mask)),
            When::AnyOf(conditions) => conditions.iter().any(|c| c.holds(value)),
            When::AllOf(conditions) => conditions.iter().all(|c| c.holds(value)),
        }
    }
}

/// The meaning of a successful return value.
#[derive(Debug, Clone, Copy)]
pub enum Ret {
    /// Decimal number. Also used for "zero on success".
    Int,
    /// An `int` whose sign the kernel does not extend: an error arrives as a large number.
    NarrowInt,
    /// `unsigned long` or `size_t`, decimal.
    Size,
    /// Hexadecimal number.
    Hex,
    /// Permission bits.
    Octal,
    /// A new descriptor.
    Fd,
    /// An address: `NULL`-less hexadecimal.
    Addr,
    /// An id of this kind.
    Pid(crate::PidKind),
    /// A user or group id.
    Uid,
    /// A flag word: hexadecimal, with the names in parentheses.
    Flags(&'static Set),
    /// An enumeration: decimal, with the name in parentheses where it has one.
    Enum(&'static Set),
    /// Does not return (exit).
    Never,
    /// It depends on an argument (fcntl's `op`).
    Select(&'static RetSelect),
}

/// A choice of [`Ret`] by the value of an argument.
#[derive(Debug)]
pub struct RetSelect {
    /// The argument that decides.
    pub on: crate::SelectKey,
    /// The meanings by the argument's value.
    pub cases: &'static [(u64, Ret)],
    /// The meaning for all other values.
    pub default: Ret,
}

/// Makes an argument that always exists, in the register of its position.
pub const fn arg(name: &'static str, ty: Ty) -> Arg {
    Arg { name, ty, when: When::Always, register: None, named: false, starts: StartsAt::Usual }
}

impl Arg {
    /// The argument exists only under this condition.
    pub const fn when(mut self, when: When) -> Arg {
        self.when = when;
        self
    }

    /// In this register, counted from 0. Arguments of which only one exists at a time may share one.
    pub const fn at(mut self, register: u8) -> Arg {
        self.register = Some(register);
        self
    }

    /// The argument's name is always shown.
    pub const fn named(mut self) -> Arg {
        self.named = true;
        self
    }

    /// A relative path in this argument begins at a place that the usual rule does not tell.
    pub const fn starts(mut self, at: StartsAt) -> Arg {
        self.starts = at;
        self
    }
}

/// Makes a row. Names that its types refer to are checked while it is built.
pub const fn syscall(name: &'static str, class: Class, ret: Ret, args: &'static [Arg]) -> Syscall {
    let row =
        Syscall { name, class, ret, args, forms: None, effects: &[], note: None, kernel_names: &[], may_need: &[] };
    crate::check::row(&row);
    row
}

impl Syscall {
    /// Adds the forms of a multiplexed call. The row itself describes all other values.
    pub const fn by(mut self, on: SelectKey, cases: &'static [Form]) -> Syscall {
        crate::check::forms(&self, &on, cases);
        self.forms = Some(Forms { on, cases });
        self
    }

    /// Adds the call's effects.
    pub const fn does(mut self, effects: &'static [Effect]) -> Syscall {
        crate::check::effects(&self, effects);
        self.effects = effects;
        self
    }

    /// Adds the text behind the return value.
    pub const fn noted(mut self, note: Note) -> Syscall {
        self.note = Some(note);
        self
    }

    /// Adds the kernel's names of arguments.
    pub const fn in_kernel(mut self, names: &'static [(&'static str, &'static str)]) -> Syscall {
        crate::check::kernel_names(&self, names);
        self.kernel_names = names;
        self
    }

    /// Adds capabilities that the call may need for some arguments or objects.
    pub const fn may_need(mut self, capabilities: &'static [u64]) -> Syscall {
        self.may_need = capabilities;
        self
    }

    /// The kernel's name of an argument.
    pub fn kernel_name(&self, arg: &'static str) -> &'static str {
        self.kernel_names.iter().find(|(name, _)| *name == arg).map_or(arg, |(_, kernel)| kernel)
    }

    /// True if the call has this effect, which has no parameters.
    pub fn has_effect(&self, effect: Effect) -> bool {
        self.effects.contains(&effect)
    }

    /// The thing that the call waits for, if waiting is its purpose.
    pub fn waits(&self) -> Option<For> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Waits(what) => Some(*what),
            _ => None,
        })
    }

    /// The thing that the call may have to wait for before it can do its work.
    pub fn may_wait(&self) -> Option<For> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::MayWait(what) => Some(*what),
            _ => None,
        })
    }

    /// The bytes that the call moves.
    pub fn transfer(&self) -> Option<&'static Transfer> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Moves(transfer) => Some(transfer),
            _ => None,
        })
    }

    /// The thing that a new descriptor of the call refers to.
    pub fn makes(&self) -> Option<Thing> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Makes(thing, _) => Some(*thing),
            _ => None,
        })
    }

    /// The facility that the call controls.
    pub fn controls(&self) -> Option<Facility> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Controls(facility) => Some(*facility),
            _ => None,
        })
    }

    /// The capability without which the call fails (a number of linux/capability.h).
    pub fn needs_capability(&self) -> Option<u64> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::NeedsCapability(capability) => Some(*capability),
            _ => None,
        })
    }

    /// True for accept(2) and the like: the call makes a socket when a peer has come.
    pub fn accepts(&self) -> bool {
        self.makes() == Some(Thing::Connection) && self.may_wait() == Some(For::Peer)
    }

    /// The condition on which execve(2) closes a new descriptor of the call.
    pub fn close_on_exec(&self) -> Option<CloseOnExec> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Makes(_, when) | Effect::Duplicates(when) => Some(*when),
            _ => None,
        })
    }

    /// The row that describes the call with these arguments: this one, or one of its forms.
    pub fn form(&'static self, args: &[u64; 6], abi: Abi) -> &'static Syscall {
        let Some(forms) = &self.forms else { return self };
        let key = self.key(&forms.on, args, abi);
        forms.cases.iter().find(|f| f.values.contains(&key)).map_or(self, |f| &f.row)
    }

    /// The number of leading arguments that can be shown at the call's entry. The others wait for its return, as in
    /// strace.
    pub fn shown_at_entry(&self, args: &[u64; 6], abi: Abi) -> usize {
        let waits = |a: &Arg| match &a.ty {
            Ty::Select(s) => self.choose(s, args, abi).needs_exit(),
            ty => ty.needs_exit(),
        };
        self.args.iter().position(waits).unwrap_or(self.args.len())
    }

    /// The position of an argument; names are checked when the row is built.
    pub fn index(&self, name: &str) -> usize {
        self.args.iter().position(|a| a.name == name).unwrap_or(0)
    }

    /// The register in which an argument starts: its position, unless 64-bit values before it took two registers each.
    pub fn register(&self, position: usize, abi: Abi) -> usize {
        if let Some(register) = self.args[position].register {
            return register as usize;
        }
        if abi.word() == 8 {
            return position;
        }
        position + self.args[..position].iter().filter(|a| a.ty.is_wide(abi)).count()
    }

    /// True if the call returns the number of bytes that it moved through a descriptor.
    pub fn returns_moved(&self) -> bool {
        matches!(self.ret, Ret::Size) && self.transfer().is_some()
    }

    /// The number of registers that the arguments take.
    pub fn registers(&self, abi: Abi) -> usize {
        let end = |i: usize| self.register(i, abi) + if self.args[i].ty.is_wide(abi) { 2 } else { 1 };
        (0..self.args.len()).map(end).max().unwrap_or(0).min(6)
    }

    /// The registers' value for an argument, low half first if it takes two.
    pub fn held(&self, position: usize, args: &[u64; 6], abi: Abi) -> u64 {
        if abi.word() == 8 && self.args[position].register.is_none() {
            return args.get(position).copied().unwrap_or(0);
        }
        let at = self.register(position, abi);
        let low = args.get(at).copied().unwrap_or(0);
        if self.args[position].ty.is_wide(abi) {
            low & 0xffff_ffff | args.get(at + 1).copied().unwrap_or(0) << 32
        } else {
            low
        }
    }

    /// [`Syscall::held`], by name.
    pub fn value(&self, name: &str, args: &[u64; 6], abi: Abi) -> u64 {
        self.held(self.index(name), args, abi)
    }

    /// The type a [`crate::Select`] resolves to for these arguments.
    pub fn choose(&self, select: &crate::Select, args: &[u64; 6], abi: Abi) -> Ty {
        let key = self.key(&select.on, args, abi);
        select.cases.iter().find(|c| c.0 == key).map_or(select.default, |c| c.1)
    }

    /// The value of a key for these arguments.
    pub fn key(&self, on: &crate::SelectKey, args: &[u64; 6], abi: Abi) -> u64 {
        let first = (self.value(on.arg, args, abi) >> on.shift) & on.mask;
        let first = if on.request { twins::usual(first, abi) } else { first };
        match on.second {
            None => first,
            Some(second) => crate::SelectKey::both(first, self.value(second, args, abi)),
        }
    }

    /// True if an argument exists for these values.
    pub fn has(&self, arg: &Arg, args: &[u64; 6], abi: Abi) -> bool {
        matches!(arg.when, When::Always) || arg.when.holds(&|on: &str| self.value(on, args, abi))
    }

    /// The meaning of a successful return value, for these arguments.
    pub fn returns(&self, args: &[u64; 6], abi: Abi) -> Ret {
        match self.ret {
            Ret::Select(choice) => {
                let key = self.key(&choice.on, args, abi);
                choice.cases.iter().find(|c| c.0 == key).map_or(choice.default, |c| c.1)
            }
            ret => ret,
        }
    }
}
