//! Calls by the functions that led to them, as a tree: a node is a function, its parent the caller.

use super::labels::LabelId;
use std::collections::HashMap;
use stride_event::Ns;

/// An index into [`CallTree::nodes`].
pub type NodeId = u32;

/// The measures that the width of a box may show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// Calls, or in a graph of waits the kinds of waits in calls, of which a call may have several.
    pub calls: u64,
    /// The time from entry to return, or that of the wait.
    pub time: Ns,
    /// Calls that failed.
    pub errors: u64,
}

impl Weights {
    pub fn add(&mut self, other: Weights) {
        self.calls += other.calls;
        self.time = self.time.saturating_add(other.time);
        self.errors += other.errors;
    }
}

#[derive(Debug)]
pub struct Node {
    /// A parent has a smaller id than its children. The parent of a root is itself.
    pub parent: NodeId,
    pub label: LabelId,
    /// The calls that end here.
    pub own: Weights,
}

/// Nobody can look at more, and memory is limited.
const MOST: usize = if cfg!(test) { 1100 } else { 1 << 18 };

#[derive(Debug, Default)]
pub struct CallTree {
    pub nodes: Vec<Node>,
    children: HashMap<(Option<NodeId>, LabelId), NodeId>,
    /// Calls that are counted for a function further out, because there was no room for all that led to them.
    pub cut: u64,
    /// Calls that are not counted at all, because there was no room for their program.
    pub left_out: u64,
}

/// The node of a path, and whether it is that of the whole path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreePlace {
    pub node: Option<NodeId>,
    pub whole: bool,
}

impl TreePlace {
    /// The place from which paths begin.
    pub const OUTSIDE: TreePlace = TreePlace { node: None, whole: true };
}

impl CallTree {
    /// The place of a function called from `from`. If there is no room, the place stays at the function that called it.
    pub fn step(&mut self, from: TreePlace, label: LabelId) -> TreePlace {
        if !from.whole {
            return from;
        }
        let next = self.nodes.len();
        let node = match self.children.get(&(from.node, label)) {
            Some(&node) => node,
            None if next >= MOST => return TreePlace { whole: false, ..from },
            None => {
                let node = next as NodeId;
                self.children.insert((from.node, label), node);
                self.nodes.push(Node { parent: from.node.unwrap_or(node), label, own: Weights::default() });
                node
            }
        };
        TreePlace { node: Some(node), whole: true }
    }

    pub fn count(&mut self, place: TreePlace, weights: Weights) {
        match place.node {
            Some(node) => self.nodes[node as usize].own.add(weights),
            None => self.left_out += weights.calls,
        }
        if place.node.is_some() && !place.whole {
            self.cut += weights.calls;
        }
    }

    /// For each node: the calls that end at it or at any function that it led to.
    pub fn sums(&self) -> Vec<Weights> {
        let mut sums: Vec<Weights> = self.nodes.iter().map(|node| node.own).collect();
        for (id, node) in self.nodes.iter().enumerate().rev() {
            if node.parent as usize != id {
                let sum = sums[id];
                sums[node.parent as usize].add(sum);
            }
        }
        sums
    }

    /// The functions from the program to this node.
    pub fn path(&self, mut id: NodeId) -> Vec<LabelId> {
        let mut path = Vec::new();
        loop {
            let node = &self.nodes[id as usize];
            path.push(node.label);
            if node.parent == id {
                break;
            }
            id = node.parent;
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Weights = Weights { calls: 1, time: 10, errors: 0 };

    fn place(tree: &mut CallTree, path: &[LabelId]) -> TreePlace {
        path.iter().fold(TreePlace::OUTSIDE, |from, &label| tree.step(from, label))
    }

    #[test]
    fn callers_have_the_sums_of_what_they_call() {
        let mut tree = CallTree::default();
        for path in [&[1, 2, 3][..], &[1, 2, 3], &[1, 2], &[1, 4], &[5], &[1, 2, 3, 2]] {
            let place = place(&mut tree, path);
            tree.count(place, ONE);
        }
        let sums: Vec<_> = (0..6).map(|id| (tree.path(id), tree.sums()[id as usize].calls)).collect();
        let expected =
            [(vec![1], 5), (vec![1, 2], 4), (vec![1, 2, 3], 3), (vec![1, 4], 1), (vec![5], 1), (vec![1, 2, 3, 2], 1)];
        assert_eq!(sums, expected);
        assert_eq!(tree.sums()[0].time, 50);
    }

    #[test]
    fn no_call_is_lost_where_there_is_no_room() {
        let mut tree = CallTree::default();
        for i in 0..600 {
            let place = place(&mut tree, &[i, 1000, 1001]);
            tree.count(place, ONE);
        }
        assert_eq!(tree.nodes.len(), MOST);
        let counted: u64 = tree.nodes.iter().map(|node| node.own.calls).sum();
        assert_eq!((counted, tree.cut, tree.left_out), (367, 1, 233));
    }
}
