//! The look of calls, as the views ask for it.

use super::{Color, Decoding, LineStyle, Options};
use std::sync::Arc;
use stride_filter::Quiet;
use stride_output::{Layout, Palette, PerfForm, Show};

/// Digits of the times of calls.
const MICROSECONDS: u8 = 6;

impl Options {
    /// The layout of lines. `to_terminal`: whether the trace goes to a terminal.
    pub fn layout(&self, to_terminal: bool) -> Layout {
        Layout {
            palette: self.color.palette(to_terminal).filter(|_| self.style == LineStyle::Strace),
            form: match self.style {
                LineStyle::Strace => None,
                LineStyle::Perf => Some(Arc::new(PerfForm)),
                LineStyle::Truss(form) => Some(Arc::new(form)),
            },
            elapsed: self.lines.elapsed.or(self.spec.waits.then_some(MICROSECONDS)),
            waits: self.spec.waits,
            ..self.lines.clone()
        }
    }

    /// How deeply calls are decoded, and whether a resolver is asked about descriptors and processes.
    pub fn decoder_options(&self) -> Decoding {
        Decoding { fds: !self.decode_fds.is_empty(), pids: !self.decode_pids.is_empty(), ..self.decoding.clone() }
    }

    /// True if calls are shown with the files of their descriptors, or chosen by these files.
    pub fn needs_descriptors(&self) -> bool {
        !self.decode_fds.is_empty() || !self.filters.paths.is_empty()
    }

    /// The events that are shown.
    pub fn show(&self) -> Show {
        let mut show = Show {
            exit: !self.is_quiet(Quiet::Exit),
            // Nobody asked for these of the whole machine's processes, but for the processes that a user named.
            killed: !self.is_quiet(Quiet::Exit) || self.spec.machine.is_none(),
            attach: !self.is_quiet(Quiet::Attach),
            superseded: !self.is_quiet(Quiet::ThreadExecve),
            personality: !self.is_quiet(Quiet::Personality),
            thread_names: self.thread_names,
            stack: self.stack_trace,
            ..Show::default()
        };
        for (signal, shown) in show.signal.iter_mut().enumerate().skip(1) {
            *shown = self.filters.signals.contains(signal as i32);
        }
        show
    }
}

impl Color {
    /// The colours, if they are used. `STRACE_COLORS` chooses them.
    pub fn palette(self, to_terminal: bool) -> Option<Palette> {
        self.is_wanted(to_terminal).then(|| Palette::parse(&std::env::var("STRACE_COLORS").unwrap_or_default()))
    }
}
