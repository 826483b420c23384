//! Ways from one table to another, and the choice of a row.

use super::counts::TopCounts;
use super::filter::Filter;
use super::looked_at::Screen;
use super::scope::TopScope;
use super::tables::Tab;
use super::{CallsApart, Model, TopRow};
use crate::lookup::waits::WaitEnd;
use std::sync::Arc;
use stride_syscalls::{Abi, table};

impl Model {
    /// The place of the chosen row.
    pub fn chosen(&self, lines: &[TopRow]) -> usize {
        let screen = self.screen();
        let found = screen.chosen.as_ref().and_then(|key| lines.iter().position(|line| line.key == *key));
        found.unwrap_or_else(|| screen.first.min(lines.len().saturating_sub(1)))
    }

    /// Chooses another row.
    pub fn choose(&mut self, lines: &[TopRow], place: usize) {
        self.screen_mut().chosen = lines.get(place.min(lines.len().saturating_sub(1))).map(|line| line.key.clone());
    }

    /// Scrolls so that the chosen row is among the `height` that are shown.
    pub fn scroll(&mut self, lines: &[TopRow], height: usize) {
        let chosen = self.chosen(lines);
        let screen = self.screen_mut();
        screen.first = screen.first.min(chosen).max((chosen + 1).saturating_sub(height.max(1)));
    }

    /// Shows another table of the same calls.
    pub fn show(&mut self, tab: Tab) {
        let scope = self.screen().scope.clone();
        self.enter(Screen::new(tab, scope), false);
    }

    /// Goes into the chosen row. False: there is nothing below.
    pub fn drill(&mut self, lines: &[TopRow]) -> bool {
        let Some(line) = lines.get(self.chosen(lines)) else { return false };
        if let Some(end) = &line.end {
            self.follow(line, end.clone());
            return true;
        }
        let (screen, key) = (self.screen(), &line.key);
        let mut scope = screen.scope.clone();
        let given = |text: &Arc<str>| (!text.is_empty()).then(|| text.clone());
        if key.pid != 0 {
            (scope.pid, scope.comm) = (Some(key.pid), Some(line.comm.clone()));
        }
        // Calls that do nothing but wait are about no files.
        let next = match screen.tab.next(&screen.scope) {
            Some(Tab::Files) if self.live && waits(&key.call) => Some(Tab::Waits),
            next => next,
        };
        let Some(next) = next else { return false };
        if next != Tab::Waits {
            scope.call = given(&key.call).or(scope.call);
            scope.errno = given(&key.errno).or(scope.errno);
            scope.path = given(&key.path).or(scope.path);
        }
        self.screen_mut().chosen = Some(line.key.clone());
        self.enter(Screen::new(next, scope), true);
        true
    }

    /// Goes from a wait to the process that is waited for, or says why that is not known.
    fn follow(&mut self, line: &TopRow, end: WaitEnd) {
        let who = format!("{} ({})", line.comm, line.key.pid);
        match end {
            WaitEnd::Process { pid, comm, more } => {
                let scope = TopScope { pid: Some(pid), comm: Some(comm.clone()), ..TopScope::default() };
                self.screen_mut().chosen = Some(line.key.clone());
                self.enter(Screen::new(Tab::Calls, scope), true);
                let more = if more.is_empty() { more } else { format!(": {more}") };
                self.message =
                    Some(format!("{who} waits for {comm} ({pid}){more}. 8 shows its own waits, Esc goes back."));
            }
            WaitEnd::Unknown(why) => {
                self.message = Some(format!("The process that {who} waits for is not known: {why}."));
            }
            WaitEnd::Unasked => {
                self.message = Some(format!("Stride has not looked yet for whom {who} waits: try again in a second."));
            }
        }
    }

    fn enter(&mut self, screen: Screen, deeper: bool) {
        let before = self.detail_wanted();
        if deeper {
            self.screens.push(screen);
        } else {
            *self.screen_mut() = screen;
        }
        self.forget_unless(before);
    }

    /// Goes back to the table before. False: this is the first.
    pub fn back(&mut self) -> bool {
        let before = self.detail_wanted();
        if self.screens.len() > 1 {
            self.screens.pop();
            self.forget_unless(before);
            return true;
        }
        false
    }

    pub fn set_filter(&mut self, filter: Option<Filter>) {
        let before = self.detail_wanted();
        self.filter = filter;
        self.forget_unless(before);
    }

    /// The counts of other calls are of no use.
    fn forget_unless(&mut self, before: Option<CallsApart>) {
        if self.detail_wanted() != before {
            self.detail = TopCounts::default();
        }
    }
}

/// True if calls of this name do nothing but wait.
fn waits(name: &str) -> bool {
    table(Abi::NATIVE).by_name(name).next().is_some_and(|entry| entry.row.waits().is_some())
}
