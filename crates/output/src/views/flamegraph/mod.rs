//! `--flamegraph`: all calls by the functions that led to them.
//!
//! The view gathers a tree of functions ([`tree`]), below each program by the name of its threads, and with the system
//! call at the end of each path. The widths of a box, its share of calls, time and errors, are sums over the tree.
//! In a graph of waits ([`waits`]) the paths go on to the reason why the thread of the call was not on a CPU, to its waker, and to the waker's
//! functions, of which the innermost comes first.
//! Memory is bounded: beyond a number of nodes, calls are counted for the last function that has one, and a sentence
//! says for how many.
//!
//! The tree is written as a page ([`page`]) or as text for other tools ([`folded`]).

mod folded;
mod graph;
mod labels;
mod page;
mod tree;
mod waits;
mod weight;

use crate::sink::error::why;
use crate::views::html::run_facts::RunFacts;
use crate::{End, RunInfo, View, ViewError};
pub use weight::FlameWeight;

use graph::FlameGraph;
use std::io::Write;
use stride_event::Event;
use stride_track::Tracker;

/// How a flame graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlameFormat {
    /// A page for a browser.
    Page,
    /// `a;b;c N`, a line for each stack and its number of calls, or its waits in microseconds.
    Folded,
}

/// The view. It gathers the tree, and writes it at the end.
pub struct FlameView {
    format: FlameFormat,
    graph: FlameGraph,
    facts: RunFacts,
    /// The output, and its name in messages.
    to: Box<dyn Write>,
    name: String,
    error: Option<ViewError>,
}

impl FlameView {
    pub fn new(
        format: FlameFormat,
        weight: FlameWeight,
        name: String,
        to: Box<dyn Write>,
        info: &RunInfo,
    ) -> FlameView {
        FlameView { format, graph: FlameGraph::new(weight), facts: RunFacts::of(info), to, name, error: None }
    }
}

impl View for FlameView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        match *event {
            Event::Exit(call) => self.graph.returned(call, tracker),
            Event::Exited { tid, at, .. } | Event::Killed { tid, at, .. } | Event::Detached { tid, at, .. } => {
                self.graph.ended(tid, at);
            }
            Event::Superseded { old, at, .. } => self.graph.ended(old, at),
            _ => {}
        }
    }

    fn note(&mut self, what: &str) {
        self.facts.warnings.push(what.to_owned());
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let mut facts = std::mem::take(&mut self.facts);
        facts.lost(end);
        if let Some(began) = end.tracker.began() {
            facts.began(began);
        }
        let mut graph = std::mem::take(&mut self.graph);
        graph.finish();
        facts.warnings.extend(graph.limits());
        let text = match self.format {
            FlameFormat::Page => page::render(&graph, facts).into_bytes(),
            FlameFormat::Folded => folded::render(&graph),
        };
        if let Err(error) = self.to.write_all(&text).and_then(|()| self.to.flush()) {
            let message = format!("Can't write the flame graph '{}': {}", self.name, why(&error));
            self.error = Some(ViewError::dropped(&error, message));
        }
        String::new()
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.error.take()
    }
}
