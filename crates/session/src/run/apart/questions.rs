//! The descriptors that a view will ask the tracker about.

use rustc_hash::FxHashMap;
use stride_decode::{Decoder, Options, Part, Resolver};
use stride_event::{Call, Event, FdOf, Outcome};
use stride_output::json::Json;
use stride_syscalls::{Irregular, Ret, Syscall, Ty, table};
use stride_track::{Referent, Tracker};

/// Asks the tracker what a view will ask, and keeps the answers.
pub struct Questions {
    options: Options,
    resolver: Box<dyn Resolver>,
    decoder: Decoder,
    /// By the addresses of rows.
    rows: FxHashMap<usize, RowQuestions>,
    answers: Vec<(FdOf, Referent)>,
    /// Nobody reads it.
    text: Vec<u8>,
}

/// The arguments of a row that are descriptors or may be some.
struct RowQuestions {
    /// All descriptors are arguments or results, unless a chosen type has others.
    is_plain: bool,
    /// The positions of the arguments that are descriptors.
    descriptors: Box<[usize]>,
    /// The positions of the arguments whose types other arguments choose.
    choices: Box<[usize]>,
}

impl RowQuestions {
    fn of(row: &'static Syscall) -> RowQuestions {
        let is_choice = |ty: &Ty| matches!(ty, Ty::Select(_));
        let positions = |is: fn(&Ty) -> bool| (0..row.args.len()).filter(|&i| is(&row.args[i].ty)).collect();
        RowQuestions {
            is_plain: row.args.iter().all(|arg| is_choice(&arg.ty) || is_plain_argument(&arg.ty)),
            descriptors: positions(is_descriptor),
            choices: positions(is_choice),
        }
    }
}

/// Structs are nested less deeply.
const DEEPEST: u32 = 8;

impl Questions {
    pub fn new(options: Options, resolver: Box<dyn Resolver>) -> Questions {
        let (decoder, rows, answers, text) = Default::default();
        Questions { options, resolver, decoder, rows, answers, text }
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
        let of_row = self.rows.entry(place).or_insert_with(|| RowQuestions::of(row));
        if of_row.is_plain && of_row.choices.iter().all(|&i| is_plain_argument(&chosen(call, row, i))) {
            let others = of_row.choices.iter().filter(|&&i| is_descriptor(&chosen(call, row, i)));
            for &i in of_row.descriptors.iter().chain(others) {
                let of = FdOf { tid: call.tid, fd: row.held(i, &call.args, call.abi) as i32, made: false };
                self.answers.push((of, tracker.referent(of)));
            }
            if let (Outcome::Value(value), Ret::Fd) = (call.outcome, row.returns(&call.args, call.abi))
                && let Ok(fd) = i32::try_from(value)
            {
                let of = FdOf { tid: call.tid, fd, made: true };
                self.answers.push((of, tracker.referent(of)));
            }
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

/// The type of an argument, which the call's own arguments choose if its row leaves that open.
fn chosen(call: &Call, row: &'static Syscall, i: usize) -> Ty {
    match &row.args[i].ty {
        Ty::Select(select) => row.choose(select, &call.args, call.abi),
        ty => *ty,
    }
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
