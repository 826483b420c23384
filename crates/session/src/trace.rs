//! The library in one screen: run a command or attach to processes, get decoded calls, stop.

use crate::Ended;
use crate::options::{Command, Engine as EngineChoice, Interruptible, Options};
use crate::redaction::{Redacted, Redactor};
use crate::resolvers::{self, Resolvers};
use crate::run::Observation;
use crate::start::{self, Needs};
use anyhow::{Result, bail};
use std::cell::RefCell;
use std::ffi::OsString;
use std::rc::Rc;
use std::time::Duration;
use stride_decode::{Decoded, Decoder, Part};
use stride_engine_base::Engine;
use stride_event::{Call, Event, Lost, Outcome, Tid, TraceSpec};
use stride_filter::{Catalog, Expression, FdDetail, FramePattern, WordSet, parse_syscalls};
use stride_output::{Line, errno_name};
use stride_proc::Proc;
use stride_track::Tracker;

/// A running trace: an iterator of decoded calls.
///
/// ```no_run
/// # fn main() -> anyhow::Result<()> {
/// let mut trace = stride_session::Trace::command(["ls", "-l"]).calls("%file")?.start()?;
/// while let Some(call) = trace.next_call()? {
///     println!("{}", call.text());
/// }
/// # Ok(())
/// # }
/// ```
///
/// The engine is eBPF where that works, else ptrace. Tracees of the ptrace engine belong to the thread that started the trace, so all methods
/// must be called by that thread, and the process should not wait for all its children (`waitpid(-1)`) meanwhile. Tracees run on when a
/// trace is dropped.
pub struct Trace {
    engine: Box<dyn Engine>,
    observation: Observation,
    tracker: Rc<RefCell<Tracker>>,
    /// Answers what descriptors refer to, for the tracker and for the text.
    tracked: Proc,
    shown: Box<dyn stride_decode::Resolver>,
    decoder: Decoder,
    decoding: stride_decode::Options,
    line: Line,
    text: String,
    command: Option<Tid>,
    ended: Option<Ended>,
}

/// The options of a trace that is not started yet: its targets, and the calls to report.
#[derive(Clone, Debug)]
pub struct TraceBuilder(Options);

impl Trace {
    /// Starts a command. The first word is a path, or a name to look up in `PATH`.
    pub fn command<W: Into<OsString>>(words: impl IntoIterator<Item = W>) -> TraceBuilder {
        let argv: Vec<OsString> = words.into_iter().map(Into::into).collect();
        let program = argv.first().cloned().unwrap_or_default();
        let command = Command { program, argv, env: Vec::new(), user: None };
        TraceBuilder(Options { command: Some(command), ..TraceBuilder::options() })
    }

    /// Attaches to running processes. The caller needs the rights that ptrace(2) asks for.
    pub fn attach(pids: impl IntoIterator<Item = Tid>) -> TraceBuilder {
        let mut options = TraceBuilder::options();
        options.spec.attach = pids.into_iter().collect();
        TraceBuilder(options)
    }

    /// Waits for the next call that the filters leave in, and that has returned or never will. `None` when no traced thread is left.
    pub fn next_call(&mut self) -> Result<Option<TracedCall<'_>>> {
        // The call is borrowed from the engine, so the one that is shown is copied out.
        let call = loop {
            let Some(event) = self.engine.next()? else { return Ok(None) };
            if !self.observation.note(&event) {
                continue;
            }
            self.ended = Ended::of(self.command, &event).or(self.ended);
            self.tracker.borrow_mut().event(&event, &self.tracked);
            if let Some(Event::Exit(call)) = self.observation.selector.select(event) {
                break call.clone();
            }
        };
        let decoded = self.decoder.decode(&call, Part::Whole, &self.decoding, &*self.shown);
        self.line.call(&decoded, Part::Whole, 1, None, None);
        self.text = self.line.write(|line| String::from_utf8_lossy(line).trim_end().to_owned());
        Ok(Some(TracedCall {
            call,
            text: &self.text,
            decoder: &mut self.decoder,
            decoding: &self.decoding,
            resolvers: &*self.shown,
        }))
    }

    /// Ends tracing. The tracees run on. Calls that were seen already still come out of [`Trace::next_call`].
    pub fn stop(&mut self) {
        self.engine.stop();
    }

    /// The calls, threads and signals that were lost because the engine could not keep up. A count of calls is exact only if there are none.
    pub fn lost(&self) -> Lost {
        self.engine.lost()
    }

    /// A sentence about calls that a filter may have left out by mistake, such as those whose stack is not known.
    pub fn uncertain(&self) -> Option<String> {
        self.observation.selector.uncertainty()
    }

    /// How the command ended, once it has.
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// The name of the engine that was chosen: `ebpf` or `ptrace`.
    pub fn engine(&self) -> &'static str {
        self.engine.capabilities().name
    }
}

/// A call that has returned, or never will.
pub struct TracedCall<'t> {
    call: Call,
    text: &'t str,
    decoder: &'t mut Decoder,
    decoding: &'t stride_decode::Options,
    resolvers: &'t dyn stride_decode::Resolver,
}

impl TracedCall<'_> {
    /// The call's name, such as `openat`. None if this version of Stride does not know the number.
    pub fn name(&self) -> Option<&'static str> {
        self.call.row().map(|row| row.name)
    }

    /// The thread that made the call.
    pub fn tid(&self) -> Tid {
        self.call.tid
    }

    /// The value that the call returned, or the name of its error. None if the call never returns (`exit_group`, a thread that was killed).
    pub fn result(&self) -> Option<Result<i64, String>> {
        match self.call.outcome {
            Outcome::Value(value) => Some(Ok(value)),
            Outcome::Error(errno) => Some(Err(errno_name(errno))),
            _ => None,
        }
    }

    /// The time that the call took. None if its beginning was not seen.
    pub fn duration(&self) -> Option<Duration> {
        self.call.took().map(Duration::from_nanos)
    }

    /// The call as strace writes it: `openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3`.
    pub fn text(&self) -> &str {
        self.text
    }

    /// The typed arguments and return value.
    pub fn decoded(&mut self) -> Decoded<'_> {
        self.decoder.decode(&self.call, Part::Whole, self.decoding, self.resolvers)
    }

    /// The call as the engine captured it: number, argument words, memory, stack.
    pub fn raw(&self) -> &Call {
        &self.call
    }
}

impl TraceBuilder {
    fn options() -> Options {
        Options {
            program: "stride".into(),
            decode_fds: WordSet::of(&[FdDetail::Path]),
            // Signals to this process are its own affair.
            spec: TraceSpec { interruptible: Interruptible::Anywhere, ..Options::default().spec },
            ..Options::default()
        }
    }

    /// Reports only these calls: names, `%classes` and what else strace's `-e trace=` takes.
    pub fn calls(mut self, set: &str) -> Result<TraceBuilder> {
        self.0.filters.trace = parse_syscalls(set, Catalog::native())?;
        Ok(self)
    }

    /// Reports only calls for which the expression holds, as `--where` takes it: `errno == "ENOENT"`.
    pub fn condition(mut self, expression: &str) -> Result<TraceBuilder> {
        self.0.filters.conditions.push(Expression::parse(expression)?);
        Ok(self)
    }

    /// Reports only calls to which a function led whose name, file of source or module matches a POSIX extended regular expression, as `--called-from`
    /// takes it.
    pub fn called_from(mut self, function: &str) -> Result<TraceBuilder> {
        self.0.filters.called_from = Some(FramePattern::parse(function)?);
        Ok(self)
    }

    /// Traces the processes and threads that tracees start, too.
    pub fn follow(mut self) -> TraceBuilder {
        self.0.spec.follow = true;
        self
    }

    /// Chooses the engine. The default is eBPF if it works, else ptrace.
    pub fn engine(mut self, engine: EngineChoice) -> TraceBuilder {
        self.0.engine = engine;
        self
    }

    /// The options of the trace, for all that the other methods do not say.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.0
    }

    /// Starts tracing. A command waits until the engine is ready, so no call is missed.
    pub fn start(self) -> Result<Trace> {
        let options = self.0;
        if let Some(what) = options.only_for_sessions() {
            bail!("a trace gives the calls of running programs, and the options ask for {what}: take Session for that");
        }
        let filters = Needs::of_filters(&options);
        let needs = Needs::everything(&options).and(Needs::shown_stacks(&options)).and(filters);
        let redactor = Redactor::of(&options)?;
        let resolvers = Resolvers::of(&options, None, false, redactor.clone());
        let spec = start::spec(&options, &needs)?;
        let mut engine = start::start(&options, &needs, spec)?.engine;
        if let Some(redactor) = redactor {
            let resolver = Box::new(resolvers::followed(resolvers.tracked.clone()));
            engine = Box::new(Redacted::new(engine, redactor, resolver, !options.filters.shows_all_calls()));
        }
        if let Some(failure) = engine.failures().first() {
            bail!("{failure}");
        }
        let tracker = Rc::new(RefCell::new(Tracker::partial(!options.filters.shows_all_calls())));
        let (tracked, shown) = (resolvers::followed(resolvers.tracked.clone()), resolvers.for_view(&options));
        let observation = Observation::of(&mut *engine, &options, &needs, resolvers, tracker.clone(), None);
        let layout = stride_output::Layout { column: 0, ..options.layout(false) };
        Ok(Trace {
            observation,
            tracked,
            shown,
            decoder: Decoder::default(),
            decoding: options.decoder_options(),
            line: Line::new(layout, 0),
            text: String::new(),
            command: engine.command(),
            ended: None,
            engine,
            tracker,
        })
    }
}
