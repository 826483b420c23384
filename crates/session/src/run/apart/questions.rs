//! The descriptors that a view will ask the tracker about.

use rustc_hash::FxHashMap;
use stride_decode::{Decoder, Options, Part, Resolver};
use stride_event::{Call, Event, FdOf, Outcome, Tid};
use stride_output::json::Json;
use stride_syscalls::{Irregular, Ret, Syscall, Ty, table};
use stride_track::{Referent, Tracker};

/// Asks the tracker what a view will ask, and keeps the answers.
pub struct Questions {
    options: Options,
    resolver: Box<dyn Resolver>,
    decoder: Decoder,
    /// For rows, by their addresses: whether all descriptors are arguments or results.
    plain: FxHashMap<usize, bool>,
    answers: Vec<(FdOf, Referent)>,
    /// Nobody reads it.
    text: Vec<u8>,
}

/// Structs are nested less deeply.
const DEEPEST: u32 = 8;

impl Questions {
    pub fn new(options: Options, resolver: Box<dyn Resolver>) -> Questions {
        let (decoder, plain, answers, text) = Default::default();
        Questions { options, resolver, decoder, plain, answers, text }
    }

    /// The descriptors that views may ask about when they show the event, with their referents.
    pub fn about(&mut self, event: &Event<'_>, tracker: &Tracker) -> &[(FdOf, Referent)] {
        self.answers.clear();
        match *event {
            Event::Enter(call) | Event::Exit(call) => self.ask(call, tracker),
            Event::Superseded { tid, call: Some(call), .. } | Event::Detached { tid, call: Some(call), .. } => {
                self.ask(&Call { tid, ..call.clone() }, tracker);
            }
            _ => {}
        }
        &self.answers
    }

    fn ask(&mut self, call: &Call, tracker: &Tracker) {
        let Some(row) = table(call.abi).shown(call.nr) else { return };
        if self.options.raw.contains(call.abi, call.nr) {
            return;
        }
        let row = row.form(&call.args, call.abi);
        let place = std::ptr::from_ref(row).addr();
        let is_plain = *self.plain.entry(place).or_insert_with(|| {
            row.args.iter().all(|arg| matches!(arg.ty, Ty::Select(_)) || is_plain_argument(&arg.ty))
        });
        if is_plain && chosen(call, row).all(|ty| is_plain_argument(&ty)) {
            named(call, row, |of| self.answers.push((of, tracker.referent(of))));
            return;
        }
        // Descriptors may be anywhere in memory. Whoever writes the call asks about all of them.
        let Questions { options, resolver, decoder, answers, text, .. } = self;
        text.clear();
        tracker.noting_questions(answers, || {
            let mut json = Json { descriptors: Some((tracker, call.tid)), ..Json::new(text) };
            let decoded = decoder.decode(call, Part::Whole, options, &**resolver);
            json.args(&decoded, false);
            json.outcome(call, &decoded, false);
        });
    }
}

/// The types that the call's own arguments choose.
fn chosen(call: &Call, row: &'static Syscall) -> impl Iterator<Item = Ty> {
    row.args.iter().filter_map(|arg| match &arg.ty {
        Ty::Select(select) => Some(row.choose(select, &call.args, call.abi)),
        _ => None,
    })
}

/// The descriptors that are arguments of a call or its result.
fn named(call: &Call, row: &'static Syscall, mut name: impl FnMut(FdOf)) {
    for (i, arg) in row.args.iter().enumerate() {
        let is_named = match &arg.ty {
            Ty::Select(select) => is_descriptor(&row.choose(select, &call.args, call.abi)),
            ty => is_descriptor(ty),
        };
        if is_named {
            name(of(call.tid, row.held(i, &call.args, call.abi) as i32, false));
        }
    }
    if let (Outcome::Value(value), Ret::Fd) = (call.outcome, row.returns(&call.args, call.abi))
        && let Ok(fd) = i32::try_from(value)
    {
        name(of(call.tid, fd, true));
    }
}

fn of(tid: Tid, fd: i32, made: bool) -> FdOf {
    FdOf { tid, fd, made }
}

fn is_descriptor(ty: &Ty) -> bool {
    match ty {
        Ty::Fd | Ty::DirFd => true,
        Ty::As(_, inner) => is_descriptor(inner),
        _ => false,
    }
}

/// True if an argument of this type is a descriptor, or has none in it.
fn is_plain_argument(ty: &Ty) -> bool {
    is_descriptor(ty) || holds_none(ty, DEEPEST)
}

/// Types that take code to decode and have no descriptors in them. Others may have some.
fn is_irregular_without(which: Irregular) -> bool {
    matches!(
        which,
        Irregular::Dirents
            | Irregular::PathOut
            | Irregular::DatedNsec
            | Irregular::Dated
            | Irregular::DatedTime
            | Irregular::FileTime
            | Irregular::OffsetChange
            | Irregular::SplitOffset
            | Irregular::LinkTarget
            | Irregular::Environ
            | Irregular::WaitStatus
    )
}

/// True if no value of this type has a descriptor in it.
fn holds_none(ty: &Ty, deepest: u32) -> bool {
    let Some(deepest) = deepest.checked_sub(1) else { return false };
    match ty {
        Ty::Int
        | Ty::UInt
        | Ty::Long
        | Ty::ULong
        | Ty::I64
        | Ty::U64
        | Ty::Hex
        | Ty::HexLong
        | Ty::Addr
        | Ty::Uid
        | Ty::Gid
        | Ty::Signal
        | Ty::Mode
        | Ty::Perm
        | Ty::Dev
        | Ty::Flags(_)
        | Ty::Enum(_)
        | Ty::ClockId
        | Ty::Ticks
        | Ty::Path
        | Ty::Str
        | Ty::Bytes(..)
        | Ty::Buffer(..)
        | Ty::SigSet(..)
        | Ty::CStr
        | Ty::Blob(_) => true,
        Ty::As(_, inner) | Ty::Ptr(_, inner) | Ty::Array(_, inner, _) | Ty::Table(_, inner, ..) => {
            holds_none(inner, deepest)
        }
        Ty::Custom(which, _) => is_irregular_without(*which),
        Ty::NonZero(inner) | Ty::Reply(inner) | Ty::Items(inner) => holds_none(inner, deepest),
        Ty::Struct(of) | Ty::Exchange(of) | Ty::Extensible(_, of, ..) => {
            of.fields.iter().all(|field| holds_none(&field.ty, deepest))
        }
        _ => false,
    }
}
