//! The graph as text that other tools read: `program;outermost;…;innermost;call N`, where N is the number of calls.

use super::graph::FlameGraph;
use crate::brief::frames::unseparated;
use crate::spelling::legible::legible;
use std::io::Write;

pub fn render(graph: &FlameGraph) -> Vec<u8> {
    let mut lines = Vec::new();
    for (id, node) in graph.tree.nodes.iter().enumerate().filter(|(_, node)| node.own.calls > 0) {
        let mut line = Vec::new();
        for label in graph.tree.path(id as u32) {
            let name = unseparated((&*graph.labels.get(label).name).into());
            if !line.is_empty() {
                line.push(b';');
            }
            line.extend_from_slice(legible(&name, usize::MAX).as_bytes());
        }
        // Writing to a buffer does not fail.
        let _ = writeln!(line, " {}", node.own.calls);
        lines.push(line);
    }
    lines.sort_unstable();
    lines.concat()
}
