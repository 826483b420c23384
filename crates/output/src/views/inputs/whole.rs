//! The reasons why the list may not be whole.

use super::gathered::InputsOfRun;
use super::manager;
use crate::spelling::quote::shown;
use crate::{End, RunInfo};
use rustc_hash::FxHashSet;
use stride_event::quantity::{count, grouped};
use stride_event::{Event, Lost, StartKind, Tid};
use stride_syscalls::Effect;
use stride_track::Tracker;

/// Facts from events after which something may be missing.
#[derive(Default)]
pub struct Wholeness {
    partial: bool,
    follows: bool,
    /// Processes that ran before.
    attached: FxHashSet<Tid>,
    detached: u64,
    drives_ring: bool,
    /// Programs that were started, and whose files could not be read to find their interpreters.
    unread: u64,
    notes: Vec<String>,
}

impl Wholeness {
    pub fn new(info: &RunInfo) -> Wholeness {
        Wholeness { partial: info.partial, follows: info.follows, ..Wholeness::default() }
    }

    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        match *event {
            Event::Started { tid, process, origin: StartKind::Attached, .. } if tid == process => {
                self.attached.insert(tid);
            }
            Event::Detached { .. } => self.detached += 1,
            Event::Exit(call) if manager::is_start(call, tracker) => {
                self.attached.remove(&call.tid);
            }
            Event::Exit(call) => {
                self.drives_ring |= call.row().is_some_and(|row| row.has_effect(Effect::DrivesRing));
            }
            _ => {}
        }
    }

    pub fn program_unread(&mut self) {
        self.unread += 1;
    }

    pub fn note(&mut self, what: &str) {
        self.notes.push(what.to_owned());
    }

    /// The reasons why something may be missing, as sentences.
    pub fn reasons(&self, of: &InputsOfRun, end: &End<'_>) -> Vec<String> {
        let mut reasons = Vec::new();
        let mut add = |applies: bool, reason: String| {
            if applies {
                reasons.push(reason);
            }
        };
        add(!end.lost.is_none(), format!("{}.", end.lost));
        add(self.partial, "Filters left out calls.".into());
        add(!self.follows, "The children of the program were not followed.".into());
        add(
            !self.attached.is_empty(),
            format!(
                "{} before tracing began: what was used until then is not here.",
                count(self.attached.len() as u64, "process ran", "processes ran")
            ),
        );
        let running = end.tracker.live_processes().count() as u64;
        add(
            running > 0,
            format!("{} still running when tracing ended.", count(running, "process was", "processes were")),
        );
        add(
            self.drives_ring,
            "The program uses io_uring, whose operations are no calls: what they opened is not here.".into(),
        );
        add(
            of.unplaced > 0,
            format!(
                "{} in a way that could not be followed.",
                count(of.unplaced, "file was named", "files were named")
            ),
        );
        add(
            self.detached > 0,
            format!("{} on after tracing had ended.", count(self.detached, "thread went", "threads went")),
        );
        let servers = of.network.servers_outside();
        if let Some(first) = servers.first() {
            let more = match servers.len() {
                1 => String::new(),
                n => format!(" and {} more", n - 1),
            };
            add(
                true,
                format!(
                    "{}{more} belongs to a program that was not traced: what that used and made is not here.",
                    shown(first)
                ),
            );
        }
        add(
            of.paths_changed,
            "A process changed its mounts or its root (mount, pivot_root): its paths are as it saw them.".into(),
        );
        add(
            self.unread > 0,
            format!(
                "The interpreters of {} are not known.",
                count(self.unread, "program", "programs that were started")
            ),
        );
        let left_out = of.names.left_out + of.network.left_out + of.environment.left_out;
        add(
            left_out > 0,
            format!(
                "The list was full: {} of further files, addresses and variables are not here.",
                count(left_out, "use", "uses")
            ),
        );
        for note in &self.notes {
            add(true, format!("{}.", capital(note)));
        }
        reasons
    }
}

/// The last lines of a text: how many calls were seen, and whether anything may be missing.
pub fn sentence(of: &InputsOfRun, lost: Lost, reasons: &[String]) -> String {
    let lost = match lost.calls {
        1 => "1 call was".into(),
        lost => format!("{} calls were", grouped(lost)),
    };
    let seen = format!("{} seen, {lost} lost.", count(of.calls, "call was", "calls were"));
    match reasons {
        [] => format!("{seen}\n"),
        reasons => format!("{seen} The list may not be whole:\n  {}\n", reasons.join("\n  ")),
    }
}

fn capital(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches('.');
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
