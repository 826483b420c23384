//! The graph as text that other tools read: `program;outermost;…;innermost;call N`, where N is the number of calls, or
//! the microseconds of waits.

use super::graph::FlameGraph;
use crate::brief::frames::unseparated;
use crate::spelling::legible::legible;
use std::io::Write;

pub fn render(graph: &FlameGraph) -> Vec<u8> {
    let mut lines = Vec::new();
    for (id, node) in graph.tree.nodes.iter().enumerate() {
        let number = graph.weight.folded(&node.own);
        if number == 0 {
            continue;
        }
        let mut line = Vec::new();
        for label in graph.tree.path(id as u32) {
            let name = unseparated((&*graph.labels.get(label).name).into());
            if !line.is_empty() {
                line.push(b';');
            }
            line.extend_from_slice(legible(&name, usize::MAX).as_bytes());
        }
        // Writing to a buffer does not fail.
        let _ = writeln!(line, " {number}");
        lines.push(line);
    }
    lines.sort_unstable();
    lines.concat()
}
