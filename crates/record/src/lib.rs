//! Recordings: an engine's events in a file, to be shown later. This crate knows neither rows nor text.
//!
//! A [`Recorder`] writes events and the facts that they need, and a [`Reader`] gives them back in the same order:
//!
//! ```
//! use stride_event::{Call, Event, Lost, Outcome};
//! use stride_record::{Ending, Metadata, Reader, Recorder};
//!
//! let mut recorder = Recorder::new(Vec::new(), &Metadata::default())?;
//! let call = Call { tid: 7, nr: 39, outcome: Outcome::Value(7), ..Call::default() };
//! recorder.event(&Event::Exit(&call))?;
//! recorder.finish(Lost::default())?;
//! let file = std::mem::take(recorder.sink());
//!
//! let mut reader = Reader::open(&file[..])?;
//! assert!(matches!(reader.next_event(), Some(Event::Exit(call)) if call.nr == 39));
//! assert!(reader.next_event().is_none());
//! assert!(matches!(reader.ending(), Some(Ending::Whole(totals)) if totals.calls == 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The format
//!
//! ```text
//! file  = magic "\x89STRIDE\n", version u32; frames
//! frame = kind u8, length u32, length before compression u32, CRC-32 of these and of what follows u32; zstd
//! kinds = 1 metadata (named fields; unknown ones are skipped), 2 batch of events, 3 end (totals, what was lost)
//! ```
//!
//! Numbers are little-endian. Within frames they are LEB128, signed ones zigzag. Metadata comes first. Frames are only ever
//! appended, and a batch needs no other to be read, so a file that was cut off anywhere reads up to its last whole frame. A batch
//! is written when it has 1 MiB, after a tenth of a second of quiet (`Event::Idle`), and when it is older than 0.2 s: that much
//! is lost by a SIGKILL. The end frame is there if nothing was cut off.
//!
//! - **Three streams in a batch**: shapes (kinds, numbers, arguments), times, and memory. Shapes of calls repeat, and zstd finds
//!   the repetition as long as nothing random lies between them.
//! - **A call** names a slot: the thread and number that it shares with earlier calls of the batch. A bit mask says what differs
//!   from the last call of that slot, and only that is written: arguments and results as differences, blocks not at all if they
//!   lie where they did before or where an argument points. An exit that follows its entry says what the entry did not.
//! - **Facts** stand before the event that needs them: the answers of /proc (`proc::Source`), each only if it differs from the
//!   answer before. To find out which questions there are, each event is decoded while it is recorded (`session::recording`): the
//!   decoder asks the same questions when the event is replayed. A text that is shown at the same time takes its answers from
//!   there, so that both agree. What the engine itself knows about descriptors is part of the call.
//! - **Stacks** (`-k`): the stack of the next call or signal stands before it, in full where the batch has it for the first time.
//!   Functions and lines are named while the program runs. Only such recordings have version 2.
//! - **Functions of libraries** (`--library-calls`) and **operations of io_uring** (`--io-uring`) are written where they are needed first. A return has everything that its entry
//!   had. Only such recordings have version 3.
//! - **Changed calls** (`-e inject=`): a call says how it was changed. Recordings made with that option have version 3.
//! - **The waits of threads** (`--waits`) are part of the calls whose threads waited. Recordings made with that option have version 5.
//! - **The time for which a thread was held** before a call, because its stack was read, is part of the call. Only recordings with such times have version 6:
//!   those of the ptrace engine with stacks.
//! - **A call that filters leave out**, but that says what a thread runs or is called (`track::naming_calls`), is recorded as
//!   `Event::NamingCall`. Only the tracker is shown it.
//!
//! Some data costs the traced program time, so it is recorded only if asked for: descriptors with `-y` or `-P`, names with `-Y`,
//! instruction pointers with `-i`, stacks with `-k`. The metadata says what there is, and `session::replay` reports an option that asks
//! for more.
//! Descriptors are then followed by the tracker (`session::resolvers`): `-y` and `-P` show and choose by what the calls say about them.
//!
//! A redis-benchmark run takes 8 bytes per call, and is replayed as text at 2.9 million calls a second.
//!
//! # A recording that begins in the middle of a run
//!
//! Files that follow each other (`--rotate`) and a flight recorder's dump (`--flight`) each replay on their own. They begin as if
//! Stride had attached at that moment: with the answers that hold then (`Link` of each descriptor, `Comm` of each thread), and an
//! `Event::Started` for each thread. The reader needs to know nothing of that. [`FlightRing`] keeps the latest such pieces in memory.
//!
//! # Hostile files
//!
//! Architecture invariant: a file is hostile until it has proven otherwise. No length in it is believed before it is checked. A
//! batch has at most [`MAX_BATCH`] (16 MiB), of which 4 MiB can be shapes, and the reader has one batch in memory: 8 MiB in all
//! for recordings that Stride writes, 76 MiB for the worst that was made up. The thread of [`Reader::read_ahead`] has at most four more, of the
//! usual 1 MiB or of 16. Answers about descriptors are dropped beyond 256 MiB. Ids of threads are those that the kernel gives out (up to 2^22), so the state kept for threads is bounded, too. Any fault
//! ends the reading with its place and the reason (`tests/hostile.rs`).

#![deny(missing_docs)]

mod batch;
mod calls;
mod descriptors;
mod ending;
mod fact;
mod frame;
mod frames;
mod ids;
mod library;
mod metadata;
mod read;
mod ring;
mod stacks;
mod stream;
mod waits;
mod write;

pub use ending::Ending;
pub use fact::Fact;
pub use frame::VERSION;
pub use metadata::{Metadata, Totals};
pub use read::{OpenError, Reader, Recorded};
pub use ring::{FlightRing, Keep};
pub use write::{BatchPace, Recorder, Written};

/// Bytes of a batch before compression, at most. Batches are usually much smaller ([`BATCH`]); one call with much memory
/// can make one that is not.
pub const MAX_BATCH: usize = 16 << 20;
/// A batch of this size is written.
const BATCH: usize = 1 << 20;
