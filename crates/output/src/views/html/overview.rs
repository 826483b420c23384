//! The run in a few sentences.

use super::calls::CallRow;
use super::data::{Emphasis, NumbersData, Phrase};
use super::family::Family;
use std::fmt::Write;
use stride_event::quantity::{count, duration, grouped, percent};

#[derive(Default)]
struct Sentence(Vec<Phrase>);

impl Sentence {
    fn push(&mut self, kind: Emphasis, text: impl Into<String>) -> &mut Sentence {
        self.0.push(Phrase { text: text.into(), kind });
        self
    }

    fn plain(&mut self, text: &str) -> &mut Sentence {
        self.push(Emphasis::Plain, text)
    }

    fn strong(&mut self, text: impl Into<String>) -> &mut Sentence {
        self.push(Emphasis::Strong, text)
    }

    fn code(&mut self, text: &str) -> &mut Sentence {
        self.push(Emphasis::Code, text)
    }
}

/// Describes the run. `most_failed` is a syscall, an error and a count.
pub fn sentence(numbers: &NumbersData, rows: &[CallRow], most_failed: Option<(&str, &str, u64)>) -> Vec<Phrase> {
    let mut s = Sentence::default();
    s.plain("Ran for ").strong(duration(numbers.length)).plain(" and made ");
    s.strong(count(numbers.calls, "system call", "system calls"));
    if numbers.processes > 1 || numbers.threads > 1 {
        let mut whose = String::from(" in ");
        if numbers.processes > 1 {
            let _ = write!(whose, "{}", count(numbers.processes, "process", "processes"));
        } else {
            let _ = write!(whose, "{}", count(numbers.threads, "thread", "threads"));
        }
        s.plain(&whose);
    }
    if numbers.calls == 0 {
        s.plain(".");
        return s.0;
    }
    if numbers.errors == 0 {
        s.plain("; none failed.");
    } else {
        s.plain("; ").strong(format!("{} failed", grouped(numbers.errors)));
        s.plain(&format!(" ({}", percent(numbers.errors, numbers.calls)));
        if let Some((call, errno, n)) = most_failed {
            let share = if n == numbers.errors { "all of them " } else { "mostly " };
            s.plain(&format!(", {share}")).code(call).plain(" with ").code(errno);
        }
        s.plain(").");
    }
    dominant(&mut s, numbers, rows);
    s.0
}

/// Says where the time went.
fn dominant(s: &mut Sentence, numbers: &NumbersData, rows: &[CallRow]) {
    let time = |row: &&CallRow| row.counted.wall.total;
    let longest = |waits: bool| {
        let rows = rows.iter().filter(|row| (row.family == Family::Waiting) == waits);
        rows.max_by_key(time).filter(|row| time(row) > 0)
    };
    let working = numbers.busy - numbers.waiting;
    if let Some(wait) = longest(true).filter(|_| numbers.waiting * 10 > numbers.busy) {
        s.plain(" ").strong(percent(numbers.waiting, numbers.busy)).plain(" of the time in calls was spent waiting, ");
        let all = if time(&wait) == numbers.waiting { "all of it in " } else { "most of it in " };
        s.plain(all).code(&wait.name).plain(".");
    }
    if let Some(work) = longest(false) {
        let rest = if numbers.waiting * 10 > numbers.busy { " Of the rest, " } else { " Of the time in calls, " };
        s.plain(rest).code(&work.name).plain(" took ").strong(percent(time(&work), working));
        s.plain(&format!(" ({})", duration(time(&work))));
    }
    if let Some(often) = rows.iter().max_by_key(|row| row.counted.calls) {
        let join = if longest(false).is_some() { "; " } else { " " };
        s.plain(join).code(&often.name).plain(" was made most often: ");
        s.strong(percent(often.counted.calls, numbers.calls)).plain(" of all calls.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{CallStats, Ns};

    fn row(name: &str, family: Family, calls: u64, ns: Ns) -> CallRow {
        let mut counted = CallStats { calls, ..CallStats::default() };
        counted.wall.add(ns);
        CallRow { name: name.into(), family, counted }
    }

    fn text(words: &[Phrase]) -> String {
        words.iter().map(|words| words.text.as_str()).collect()
    }

    #[test]
    fn what_is_said() {
        let rows = [row("wait4", Family::Waiting, 10, 600), row("read", Family::Transfer, 80, 300)];
        let mut numbers = NumbersData {
            length: 2_500_000_000,
            calls: 1_090,
            errors: 109,
            busy: 1_000,
            waiting: 600,
            threads: 3,
            processes: 2,
            lost: 0,
        };
        assert_eq!(
            text(&sentence(&numbers, &rows, Some(("openat", "ENOENT", 100)))),
            "Ran for 2.50 s and made 1,090 system calls in 2 processes; 109 failed (10%, mostly openat with ENOENT). \
             60% of the time in calls was spent waiting, all of it in wait4. Of the rest, read took 75% (300 ns); \
             read was made most often: 7.3% of all calls."
        );
        numbers = NumbersData { calls: 0, errors: 0, processes: 1, threads: 1, ..numbers };
        assert_eq!(text(&sentence(&numbers, &[], None)), "Ran for 2.50 s and made 0 system calls.");
    }
}
