//! Writes the leader of a line: the thread, the time, the number of the call, the instruction pointer.

use super::Line;
use super::layout::PidPrefix;
use super::moment::Moment;
use crate::spelling::clock::seconds;
use crate::{HexStrings, Writer, escape_path};
use std::io::Write as _;

impl Line {
    /// Starts a new line.
    pub(super) fn leader(&mut self, m: Moment<'_>) {
        self.interrupt();
        self.start = self.out.len();
        let leader = self.layout.leader.clone();
        let mut w = Writer { out: &mut self.out, style: self.layout.style };
        match leader.pid {
            PidPrefix::Always => {
                let from = w.out.len();
                w.int(m.tid);
                match m.comm {
                    Some(comm) => w.angled(comm),
                    None => w.out.resize((from + 5).max(w.out.len()), b' '),
                }
                w.out.push(b' ');
            }
            PidPrefix::WhenSeveral if m.tracees > 1 => {
                let mut buf = itoa::Buffer::new();
                let digits = buf.format(m.tid);
                w.str("[pid ");
                for _ in digits.len()..5 {
                    w.out.push(b' ');
                }
                w.str(digits);
                if let Some(comm) = m.comm {
                    w.angled(comm);
                }
                w.str("] ");
            }
            _ => {}
        }
        if let Some(label) = m.label {
            w.str("[");
            escape_path(w.out, label, HexStrings::Never);
            w.str("] ");
        }
        if let Some(wall) = leader.wall {
            let now = (i128::from(m.at) + self.wall_offset).max(0) as u64;
            self.clock.write(w.out, now, wall.epoch, wall.digits);
            w.out.push(b' ');
        }
        if let Some(digits) = leader.relative {
            let since = m.at.saturating_sub(self.last_at.unwrap_or(m.at));
            self.last_at = Some(m.at);
            if leader.wall.is_some() {
                w.str("(+");
            }
            seconds(w.out, since, 6, digits);
            w.str(if leader.wall.is_some() { ") " } else { " " });
        }
        if leader.number {
            match m.nr {
                Some(nr) => {
                    let mut buf = itoa::Buffer::new();
                    let digits = buf.format(nr);
                    w.str("[");
                    for _ in digits.len()..4 {
                        w.out.push(b' ');
                    }
                    w.str(digits);
                    w.str("] ");
                }
                None => w.str("[????] "),
            }
        }
        if leader.ip {
            match m.ip {
                Some(ip) => {
                    // Writing to a buffer does not fail.
                    let _ = write!(w.out, "[{ip:016x}] ");
                }
                None => w.str("[????????????????] "),
            }
        }
    }
}
