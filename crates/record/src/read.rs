//! Reads the events of a recording. Every number is checked before it is used.

pub use crate::batch::Recorded;
use crate::frame::{FrameKind, MAGIC, START, VERSION};
use crate::frames::{FrameReader, FramesAhead};
use crate::stream::Malformed;
use crate::{Ending, Fact, Metadata, Totals, batch};
use std::fmt;
use std::io::{self, Read};
use stride_event::Event;

/// Why a file cannot be read at all. Its text says what to do, and goes behind the name of the file and a colon.
#[derive(Debug)]
pub enum OpenError {
    /// The file has no bytes.
    Empty,
    /// The file is no recording.
    Foreign,
    /// The file has this version of the format, which is later than [`VERSION`].
    Newer(u32),
    /// The file breaks off before the first event.
    Cut,
    /// Its beginning is not what a recorder writes, for this reason.
    Broken(&'static str),
    /// The file could not be read.
    Io(io::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Empty => {
                f.write_str("it is empty. Stride writes a recording from the first call on: was Stride killed before that?")
            }
            OpenError::Foreign => f.write_str("it is not a recording"),
            OpenError::Newer(version) => write!(
                f,
                "its format is version {version}, and this Stride reads up to version {VERSION}. \
                 Replay it with the Stride that recorded it, or a newer one"
            ),
            OpenError::Cut => f.write_str(
                "it ends before the first event. Was Stride killed while it recorded, or the file not copied completely?",
            ),
            OpenError::Broken(why) => {
                write!(f, "it is damaged at its beginning: {why}. Was it changed, or not copied correctly?")
            }
            OpenError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {}

/// Reads a recording from its beginning on, one batch at a time. The file may be hostile: memory is bounded, and any fault ends the reading
/// ([`Reader::ending`]).
pub struct Reader<R: Read> {
    frames: Frames<R>,
    metadata: Metadata,
    batch: batch::BatchReader,
    /// The beginnings of the next frame and of the one that was read last.
    offset: u64,
    frame: u64,
    events: u64,
    calls: u64,
    ending: Option<Ending>,
}

enum Frames<R> {
    Here(FrameReader<R>),
    Ahead(FramesAhead),
}

impl<R: Read> Reader<R> {
    /// Reads the metadata.
    ///
    /// # Errors
    /// If this is no recording that this version can read. A fault behind the metadata is found later.
    pub fn open(mut from: R) -> Result<Reader<R>, OpenError> {
        let mut start = Vec::with_capacity(START);
        from.by_ref().take(START as u64).read_to_end(&mut start).map_err(OpenError::Io)?;
        if start.is_empty() {
            return Err(OpenError::Empty);
        }
        let magic = start.len().min(MAGIC.len());
        if start[..magic] != MAGIC[..magic] {
            return Err(OpenError::Foreign);
        }
        let version = start[magic..].try_into().map(u32::from_le_bytes).map_err(|_| OpenError::Cut)?;
        if version > VERSION {
            return Err(OpenError::Newer(version));
        }
        if version == 0 {
            return Err(OpenError::Broken("it says version 0, which does not exist"));
        }
        let mut reader = Reader {
            frames: Frames::Here(FrameReader::new(from).map_err(OpenError::Io)?),
            metadata: Metadata::default(),
            batch: batch::BatchReader::default(),
            offset: START as u64,
            frame: START as u64,
            events: 0,
            calls: 0,
            ending: None,
        };
        match reader.frame() {
            Ok(FrameKind::Metadata) => {}
            Ok(_) => return Err(OpenError::Broken("it does not begin with its metadata")),
            Err(Ending::Io(error)) => return Err(OpenError::Io(error)),
            Err(Ending::Broken { why, .. }) => return Err(OpenError::Broken(why)),
            Err(_) => return Err(OpenError::Cut),
        }
        reader.metadata = Metadata::decode(reader.batch.from.buffer()).map_err(|m| OpenError::Broken(m.0))?;
        reader.batch.from.buffer().clear();
        Ok(reader)
    }

    /// The same, but a thread reads the file and decompresses the next batches. Without a thread the reader goes on alone.
    pub fn read_ahead(self) -> Reader<R>
    where
        R: Send + 'static,
    {
        let frames = match self.frames {
            Frames::Here(frames) => FramesAhead::start(frames).map_or_else(Frames::Here, Frames::Ahead),
            ahead => ahead,
        };
        Reader { frames, ..self }
    }

    /// The origin and the contents of the recording.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The position up to which the file was read, in bytes: the end of the frame that was read last.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of events that were read, and how many of them were calls that returned.
    pub fn read(&self) -> (u64, u64) {
        (self.events, self.calls)
    }

    /// How the recording ended. Set when [`Reader::next_item`] has nothing more.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// The next item if it is a fact: one for the event behind it.
    #[inline]
    pub fn next_fact(&mut self) -> Option<Fact> {
        self.fill();
        if self.ending.is_some() || !self.batch.is_at_fact() {
            return None;
        }
        match self.next_item() {
            Some(Recorded::Fact(fact)) => Some(fact),
            _ => None,
        }
    }

    /// The next event. Facts before it are skipped.
    pub fn next_event(&mut self) -> Option<Event<'_>> {
        while self.next_fact().is_some() {}
        match self.next_item()? {
            Recorded::Event(event) => Some(event),
            Recorded::Fact(_) => None,
        }
    }

    #[inline]
    fn fill(&mut self) {
        if self.batch.from.is_empty() {
            self.begin_batch();
        }
    }

    #[cold]
    fn begin_batch(&mut self) {
        while self.ending.is_none() && self.batch.from.is_empty() {
            self.refill();
        }
    }

    /// The next event or fact. `None` at the end of what can be read: then [`Reader::ending`] says why.
    pub fn next_item(&mut self) -> Option<Recorded<'_>> {
        self.fill();
        if self.ending.is_some() {
            return None;
        }
        match self.batch.next() {
            Ok(item) => {
                if let Recorded::Event(event) = &item {
                    self.events += 1;
                    self.calls += u64::from(matches!(event, Event::Exit(_)));
                }
                Some(item)
            }
            Err(Malformed(why)) => {
                self.ending = Some(Ending::Broken { offset: self.frame, why });
                None
            }
        }
    }

    fn refill(&mut self) {
        self.ending = match self.frame() {
            Err(ending) => Some(ending),
            Ok(FrameKind::Batch) => {
                self.batch.begin().err().map(|Malformed(why)| Ending::Broken { offset: self.frame, why })
            }
            Ok(FrameKind::End) => Some(match Totals::decode(self.batch.from.buffer()) {
                Ok(totals) => Ending::Whole(totals),
                Err(Malformed(why)) => Ending::Broken { offset: self.frame, why },
            }),
            Ok(FrameKind::Metadata) => {
                Some(Ending::Broken { offset: self.frame, why: "there is metadata in the middle" })
            }
        };
    }

    /// Reads the contents of the next frame into the batch's buffer.
    fn frame(&mut self) -> Result<FrameKind, Ending> {
        let contents = self.batch.from.buffer();
        let frame = match &mut self.frames {
            Frames::Here(frames) => frames.read(contents),
            Frames::Ahead(frames) => frames.read(contents).ok_or_else(|| {
                Ending::Io(io::Error::other("the thread that reads it has panicked; please report this"))
            })?,
        };
        (self.frame, self.offset) = (frame.begin, frame.end);
        frame.kind
    }
}
