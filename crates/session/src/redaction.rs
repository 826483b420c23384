//! `--redact`: stars stand in place of secrets, as many as the secret has bytes.
//!
//! That is done between the engine and all others, so no view, no tracker and no recording gets a secret. Recordings are engines, so they are
//! redacted when they are shown. Three more things tell what programs were started with, and go through [`Redactor`] as well: the words
//! of Stride's own command line, those of processes that ran before, and recorded answers about these.
//!
//! With `--paths-only`, all texts and data but paths are treated as secrets.
//!
//! A secret that is written in several parts, each by a call of its own, is found only if it comes from or goes to a file of secrets.

use crate::options::Options;
use anyhow::{Context, Result};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Range;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::rc::Rc;
use stride_decode::Resolver;
use stride_engine_base::{AttachFailure, Capabilities, Choose, Delayed, Engine, EngineError};
use stride_event::quantity::count;
use stride_event::{Call, Counted, Event, LibraryCall, Lost, Question, Tid, Unwind};
use stride_filter::{FoundSecret, SecretKind, Secrets};
use stride_syscalls::plan::{Cap, Op, OpKind, Plan};
use stride_syscalls::{Abi, Syscall};
use stride_track::Tracker;

/// The plans of calls that were seen.
type Plans = FxHashMap<(Abi, u64), Rc<Plan>>;

/// Finds secrets in what is known of a run.
pub struct Redactor {
    secrets: Secrets,
    paths_only: bool,
    plans: RefCell<Plans>,
    counts: RefCell<BTreeMap<SecretKind, u64>>,
}

impl Redactor {
    /// `None`: nothing is to be redacted.
    pub fn of(options: &Options) -> Result<Option<Rc<Redactor>>> {
        if !options.redacts() {
            return Ok(None);
        }
        let own = options.redact.iter().flatten().next().map(|file| patterns(file)).transpose()?.unwrap_or_default();
        Ok(Some(Rc::new(Redactor {
            secrets: Secrets::new(&own)?,
            paths_only: options.paths_only,
            plans: RefCell::default(),
            counts: RefCell::default(),
        })))
    }

    /// Redacts the words of a command line.
    pub fn words(&self, words: &mut [OsString]) {
        let mut bytes: Vec<Vec<u8>> = words.iter_mut().map(|word| std::mem::take(word).into_vec()).collect();
        self.command_line(bytes.iter_mut().map(Vec::as_mut_slice));
        words.iter_mut().zip(bytes).for_each(|(word, bytes)| *word = OsString::from_vec(bytes));
    }

    fn command_line<'a>(&self, words: impl Iterator<Item = &'a mut [u8]>) {
        let mut before = Vec::new();
        for (number, word) in words.enumerate() {
            let original = word.to_vec();
            match self.paths_only && number > 0 && !is_path(word) {
                true => word.fill(STAR),
                false => self.text(&before, word),
            }
            before = original;
        }
    }

    /// Redacts an answer about a process.
    pub fn answer(&self, question: Question, answer: &mut [u8]) {
        if !matches!(question, Question::CommandLine(_)) {
            return;
        }
        self.command_line(answer.split_mut(|byte| *byte == 0));
    }

    /// Redacts a text. `before` is the argument in front of it.
    fn text(&self, before: &[u8], text: &mut [u8]) {
        let mut found = self.secrets.find(text);
        found.extend(self.behind_option(before, text));
        found.into_iter().for_each(|secret| text[secret.at].fill(STAR));
    }

    fn behind_option(&self, option: &[u8], text: &[u8]) -> Option<FoundSecret> {
        let is_secret = !text.is_empty() && self.secrets.is_option_of(option, text);
        is_secret.then_some(FoundSecret { kind: SecretKind::Value, at: 0..text.len() })
    }

    /// The secrets in a call, each with the number of its block. If its first descriptor is a file of secrets, all its data is secret.
    fn in_call(&self, call: &Call, is_secret_file: impl Fn(i32) -> bool) -> Vec<(usize, FoundSecret)> {
        let mut all = Vec::new();
        let row = call.row();
        let plan = row.map(|row| self.plan(row, call));
        // The data that a call moves through its first descriptor.
        let own_ops =
            || row.filter(|row| row.transfer().is_some()).and(plan.as_deref()).map_or(&[][..], |plan| &plan.ops);
        let is_secret = own_ops().iter().any(has_text) && is_secret_file(call.args[0] as i32);
        let data = if is_secret { own_ops() } else { &[] };
        let mut before: Option<(u8, &[u8])> = None;
        for block in 0..call.blocks.len() {
            let Some((op, _, _, bytes)) = call.blocks.get(block) else { continue };
            let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
            let mut found = self.secrets.find(bytes);
            let without_path = || {
                let op = plan.as_deref()?.op(op, row?, &call.args, call.abi);
                self.without_path(op?, bytes)
            };
            if data.get(usize::from(op)).is_some_and(has_text) && !bytes.is_empty() {
                found = vec![FoundSecret { kind: SecretKind::File, at: 0..bytes.len() }];
            } else if let Some(at) = without_path() {
                found = vec![FoundSecret { kind: SecretKind::Text, at }];
            } else if let Some((_, option)) = before.filter(|(of, _)| *of == op) {
                found.extend(self.behind_option(option, text));
            }
            before = Some((op, text));
            all.extend(found.into_iter().map(|secret| (block, secret)));
        }
        all
    }

    fn plan(&self, row: &Syscall, call: &Call) -> Rc<Plan> {
        let mut known = self.plans.borrow_mut();
        known.entry((call.abi, call.nr)).or_insert_with(|| Rc::new(Plan::of(row, call.abi))).clone()
    }

    /// The bytes of a text or of data that is no path, if only paths are to be shown. (The end of a text stays its end.)
    fn without_path(&self, op: &Op, bytes: &[u8]) -> Option<Range<usize>> {
        let ends = op.kind == OpKind::Str;
        let end = bytes.iter().position(|byte| ends && *byte == 0).unwrap_or(bytes.len());
        Some(0..end).filter(|at| self.paths_only && has_text(op) && !at.is_empty())
    }

    /// The secrets in a text of a function of a library.
    fn in_text(&self, text: &[u8]) -> Vec<FoundSecret> {
        match self.paths_only && !text.is_empty() {
            true => vec![FoundSecret { kind: SecretKind::Text, at: 0..text.len() }],
            false => self.secrets.find(text),
        }
    }

    fn note(&self, kind: SecretKind) {
        *self.counts.borrow_mut().entry(kind).or_default() += 1;
    }

    /// What was redacted.
    fn told(&self) -> String {
        let mut counts = self.counts.borrow().clone();
        let texts = counts.remove(&SecretKind::Text).unwrap_or_default();
        let all: u64 = counts.values().sum();
        let kind = |(kind, number): (&SecretKind, &u64)| {
            let (one, several) = kind.words();
            count(*number, one, several)
        };
        let kinds: Vec<_> = counts.iter().map(kind).collect();
        let secrets = match all {
            0 => "--redact: no secret was found".into(),
            _ => format!("--redact: {} redacted: {}", count(all, "secret was", "secrets were"), kinds.join(", ")),
        };
        match self.paths_only {
            false => secrets,
            true => format!(
                "--paths-only: {} redacted. {secrets}",
                count(texts, "text that is no path was", "texts that are no paths were")
            ),
        }
    }
}

const STAR: u8 = b'*';

/// True if the op copies a text that is no path, or data.
fn has_text(op: &Op) -> bool {
    matches!(op.cap, Cap::Text | Cap::Message)
}

/// A word of a command line that names a file for certain.
fn is_path(word: &[u8]) -> bool {
    [&b"/"[..], b"./", b"../"].iter().any(|beginning| word.starts_with(beginning))
}

/// The regular expressions in a file, one in each line.
fn patterns(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("Can't read the patterns of --redact from '{}'", path.display()))?;
    let mut patterns = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        Secrets::new(&[line.to_owned()]).with_context(|| {
            format!("--redact: line {} of '{}' is no regular expression", number + 1, path.display())
        })?;
        patterns.push(line.to_owned());
    }
    Ok(patterns)
}

/// An engine whose events have no secrets.
pub struct Redacted {
    engine: Box<dyn Engine>,
    redactor: Rc<Redactor>,
    /// Follows descriptors to files of secrets.
    tracker: Tracker,
    resolver: Box<dyn Resolver>,
    /// The call or the function that is handed out, without its secrets.
    call: Call,
    library: Option<LibraryCall>,
}

impl Redacted {
    pub fn new(
        engine: Box<dyn Engine>,
        redactor: Rc<Redactor>,
        resolver: Box<dyn Resolver>,
        partial: bool,
    ) -> Redacted {
        let tracker = Tracker::partial(partial);
        Redacted { engine, redactor, tracker, resolver, call: Call::default(), library: None }
    }
}

impl Engine for Redacted {
    fn next(&mut self) -> Result<Option<Event<'_>>, EngineError> {
        let Redacted { engine, redactor, tracker, resolver, call, library } = self;
        let Some(event) = engine.next()? else { return Ok(None) };
        tracker.event(&event, &**resolver);
        // A call is counted once, although it is told at entry, too.
        let is_last = !matches!(event, Event::Enter(_));
        let mut clean = |original: &Call| {
            let is_secret_file = |fd: i32| {
                let given = original.given(fd);
                let followed = || tracker.descriptor(original.tid, fd).map(|file| tracker.name(file).to_vec());
                let path = given.map(|given| given.path.to_vec()).or_else(followed);
                let path = path.or_else(|| resolver.path(original.tid, fd, given));
                path.is_some_and(|path| redactor.secrets.is_secret_file(&path))
            };
            let found = redactor.in_call(original, is_secret_file);
            if found.is_empty() {
                return false;
            }
            call.clone_from(original);
            for (block, secret) in found {
                call.blocks.bytes_mut(block)[secret.at].fill(STAR);
                if is_last {
                    redactor.note(secret.kind);
                }
            }
            true
        };
        Ok(Some(match event {
            Event::Enter(original) if clean(original) => Event::Enter(call),
            Event::Exit(original) if clean(original) => Event::Exit(call),
            Event::NamingCall(original) if clean(original) => Event::NamingCall(call),
            Event::Superseded { tid, old, call: Some(original), at } if clean(original) => {
                Event::Superseded { tid, old, call: Some(call), at }
            }
            Event::Detached { tid, call: Some(original), at } if clean(original) => {
                Event::Detached { tid, call: Some(call), at }
            }
            Event::Library(original) => {
                if original.texts.iter().all(|text| redactor.in_text(&text.bytes).is_empty()) {
                    return Ok(Some(event));
                }
                let clean = library.insert(original.clone());
                for text in &mut clean.texts {
                    let found = redactor.in_text(&text.bytes);
                    for secret in found {
                        text.bytes[secret.at].fill(STAR);
                        redactor.note(secret.kind);
                    }
                }
                Event::Library(clean)
            }
            event => event,
        }))
    }

    fn ending(&self) -> Result<Option<String>, EngineError> {
        let ending = self.engine.ending()?;
        Ok(Some(ending.into_iter().chain([self.redactor.told()]).collect::<Vec<_>>().join(". ")))
    }

    fn capabilities(&self) -> Capabilities {
        self.engine.capabilities()
    }

    fn unwind_with(&mut self, unwinder: Rc<RefCell<dyn Unwind>>) {
        self.engine.unwind_with(unwinder);
    }

    fn choose_with(&mut self, choice: Rc<RefCell<dyn Choose>>) {
        self.engine.choose_with(choice);
    }

    fn stop(&mut self) {
        self.engine.stop();
    }

    fn command(&self) -> Option<Tid> {
        self.engine.command()
    }

    fn failures(&self) -> &[AttachFailure] {
        self.engine.failures()
    }

    fn interrupted(&self) -> Option<i32> {
        self.engine.interrupted()
    }

    fn lost(&self) -> Lost {
        self.engine.lost()
    }

    fn delayed(&self) -> Delayed {
        self.engine.delayed()
    }

    fn counted(&self) -> Result<Vec<Counted>, EngineError> {
        self.engine.counted()
    }

    fn take_counted(&mut self) -> Result<Vec<Counted>, EngineError> {
        self.engine.take_counted()
    }

    fn costs(&self) -> Vec<String> {
        self.engine.costs()
    }

    fn remarks(&mut self) -> Vec<String> {
        self.engine.remarks()
    }

    fn facts(&self) -> Vec<String> {
        self.engine.facts()
    }
}
