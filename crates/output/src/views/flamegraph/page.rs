//! The graph as a page. It is one file, which loads nothing.

use super::graph::FlameGraph;
use super::labels::{Label, LabelKind};
use super::tree::Weights;
use crate::spelling::legible::legible;
use crate::views::html::family::Family;
use crate::views::html::page::MOST;
use crate::views::html::run_facts::RunFacts;
use crate::views::html::template::{Template, section};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashMap;

const TEMPLATE: Template = Template {
    option: "--flamegraph",
    noun: "graph",
    navigation: r##"<li><a href="#graph">Graph</a></li><li><a href="#functions">Functions</a></li>"##,
    sections: concat!(include_str!("sections.html"), section!("functions", "Functions")),
    style: concat!(
        include_str!("../html/css/base.css"),
        include_str!("../html/css/bar.css"),
        include_str!("../html/css/sections.css"),
        include_str!("../html/css/tables.css"),
        include_str!("../html/css/media.css"),
        include_str!("flame.css"),
    ),
    script: concat!(
        include_str!("../html/js/base.js"),
        include_str!("../html/js/quantity.js"),
        include_str!("../html/js/tables.js"),
        include_str!("../html/js/scheme.js"),
        include_str!("js/tree.js"),
        include_str!("js/graph.js"),
        include_str!("js/page.js"),
    ),
};

/// The boxes that a page has at most. Fewer are kept if the page would become too large.
const MOST_BOXES: usize = 60_000;
/// The longest name.
const NAME: usize = 400;

#[derive(Serialize)]
struct FlameData {
    /// The names of the programs with most calls, or with the longest waits.
    title: String,
    warnings: Vec<String>,
    about: Vec<(&'static str, String)>,
    /// For each label: name, module, kind.
    labels: Vec<(String, String, &'static str)>,
    /// The names of the measures of each box.
    measures: Vec<&'static str>,
    /// Numbers for each box, parents before their children: the depth, the label, and one for each measure.
    boxes: Vec<u64>,
    /// The number of boxes that were too narrow to be kept, whatever the width stands for.
    more: usize,
}

pub fn render(graph: &FlameGraph, facts: RunFacts) -> String {
    let mut data = FlameData {
        title: title(graph),
        warnings: facts.warnings,
        about: facts.facts,
        labels: Vec::new(),
        measures: graph.weight.measures().iter().map(|(name, _)| *name).collect(),
        boxes: Vec::new(),
        more: 0,
    };
    let sums = graph.tree.sums();
    let ranks = ranks(graph, &sums);
    let mut most = MOST_BOXES;
    loop {
        fill(&mut data, graph, &sums, &ranks[..most.min(ranks.len())]);
        let page = TEMPLATE.with(&data);
        if page.len() <= MOST || most <= 100 {
            return page;
        }
        most /= 2;
    }
}

/// The nodes, widest first. The width of a node is the largest of its shares. A parent is at least as wide as its
/// children, so any beginning of the list has the parents of all its nodes.
fn ranks(graph: &FlameGraph, sums: &[Weights]) -> Vec<usize> {
    let mut all = Weights::default();
    graph.tree.nodes.iter().for_each(|node| all.add(node.own));
    let share = |part: u64, whole: u64| (u128::from(part) << 60) / u128::from(whole.max(1));
    let measures = graph.weight.measures();
    let width = |id: &usize| {
        let shares = measures.iter().map(|(_, value)| share(value(&sums[*id]), value(&all)));
        shares.max().unwrap_or_default()
    };
    let mut ranks: Vec<usize> = (0..sums.len()).collect();
    ranks.sort_by_cached_key(|id| (Reverse(width(id)), *id));
    ranks
}

/// Puts these nodes into the data.
fn fill(data: &mut FlameData, graph: &FlameGraph, sums: &[Weights], kept: &[usize]) {
    data.more = sums.len() - kept.len();
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut roots = Vec::new();
    for &id in kept {
        let parent = graph.tree.nodes[id].parent as usize;
        if parent == id { roots.push(id) } else { children.entry(parent).or_default().push(id) }
    }
    data.labels.clear();
    data.boxes.clear();
    let mut labels = HashMap::new();
    // The children that come first are taken off the end first.
    let mut open: Vec<(usize, u64)> = roots.into_iter().rev().map(|id| (id, 0)).collect();
    while let Some((id, depth)) = open.pop() {
        let label = graph.tree.nodes[id].label;
        let number = *labels.entry(label).or_insert_with(|| {
            data.labels.push(shown(graph.labels.get(label)));
            data.labels.len() as u64 - 1
        });
        data.boxes.extend([depth, number]);
        data.boxes.extend(graph.weight.measures().iter().map(|(_, value)| value(&sums[id])));
        let below = children.remove(&id).unwrap_or_default();
        open.extend(below.into_iter().rev().map(|child| (child, depth + 1)));
    }
}

fn shown(label: &Label) -> (String, String, &'static str) {
    let kind = match label.kind {
        LabelKind::Program => "program",
        LabelKind::Own => "own",
        LabelKind::Library => "library",
        LabelKind::Asleep => "asleep",
        LabelKind::WithoutCpu => "no-cpu",
        LabelKind::Waker => "waker",
        LabelKind::Missing => "missing",
        LabelKind::Call(family) => match family {
            Family::Files => "files",
            Family::Transfer => "transfer",
            Family::Network => "network",
            Family::Memory => "memory",
            Family::Process => "process",
            Family::Waiting => "waiting",
            Family::Other => "other",
        },
    };
    (legible(&label.name, NAME), legible(&label.module, NAME), kind)
}

/// The programs with most calls, or with the longest waits.
fn title(graph: &FlameGraph) -> String {
    let sums = graph.tree.sums();
    let (_, most) = graph.weight.measures()[0];
    let nodes = graph.tree.nodes.iter().enumerate();
    let mut roots: Vec<_> = nodes.filter(|(id, node)| node.parent as usize == *id).collect();
    roots.sort_by_key(|(id, _)| Reverse(most(&sums[*id])));
    let names = roots.iter().take(3).map(|(_, node)| legible(&graph.labels.get(node.label).name, 64));
    let more = if roots.len() > 3 { ", …" } else { "" };
    format!("{}{more}", names.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::flamegraph::tree::TreePlace;

    #[test]
    fn the_parts_fit() {
        crate::views::html::template::tests::holds_together(&TEMPLATE);
    }

    /// The widest boxes stay if a page would become too large.
    #[test]
    fn a_page_is_never_too_large() {
        let mut graph = FlameGraph::default();
        for i in 0..1090u64 {
            let name = format!("{i}{}", "<".repeat(600));
            let label = Label { kind: LabelKind::Own, name: name.as_bytes().into(), module: name.as_bytes().into() };
            let label = graph.labels.id(label);
            let place = graph.tree.step(TreePlace::OUTSIDE, label);
            graph.tree.count(place, Weights { calls: 1 + i, time: 0, errors: 0 });
        }
        let page = render(&graph, RunFacts::default());
        assert!(page.len() <= MOST, "{}", page.len());
        let (_, data) = page.split_once("id=\"data\">").unwrap();
        let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        let boxes = data["boxes"].as_array().unwrap();
        let (more, kept) = (data["more"].as_u64().unwrap() as usize, boxes.len() / 5);
        assert!(more > 0 && kept > 100 && more + kept == 1090, "{more} {kept}");
        let calls: Vec<u64> = boxes.chunks(5).map(|numbers| numbers[2].as_u64().unwrap()).collect();
        assert_eq!(calls[..2], [1090, 1089]);
    }
}
