//! The pictures of docs/top.md, held against the screen of now. STRIDE_UPDATE_DOCS=1 makes them anew.

use crate::common::*;
use crate::tmux::Tmux;
use stride_test_support::picture;

/// The screen in the document has so much of a minute.
const LONG: usize = 50;

/// A load that is the same each time is shown with the same columns, processes, users and keys.
#[test]
fn the_picture_of_the_document_is_what_the_screen_shows() {
    need_tmux!();
    need_ebpf!();
    let shop = program!("shop");
    if !is_root() {
        skip!("only root can run processes of several users");
    }
    let tmux = Tmux::new("top-picture", 100, 18);
    copy_program(shop, tmux.scratch.path("shop"));
    tmux.type_line("clear; LC_ALL=C.UTF-8; export LC_ALL; TERM=xterm-256color; export TERM");
    tmux.top("-f ./shop");
    tmux.wait("processes", |screen| screen.contains("thumbnails"));
    tmux.keys(&["g"]);
    let columns = |line: &str| line.chars().filter(|c| ('▁'..='█').contains(c)).count();
    let enough = if picture::are_made_anew() { LONG } else { 3 };
    tmux.wait("graph and users", |screen| {
        // The lowest line of the calls has a block for each second.
        screen.lines().nth(4).is_some_and(|line| columns(line) >= enough)
            && screen.contains("%")
            && screen.contains("mail ")
    });
    let screen = tmux.picture();
    tmux.keys(&["C-c"]);
    tmux.is_restored();

    let documented = picture::documented("top.svg", &screen.svg("$ sudo stride --top -f ./shop"));
    assert_eq!(shape(&documented), shape(&screen.text()), "STRIDE_UPDATE_DOCS=1 makes docs/top.svg anew");

    // A tenth of the calls of `api` fail; curves and keys have colours, too.
    let ink = |text: &str| screen.style_of(text).unwrap_or_else(|| panic!("no {text}: {:#?}", screen.text())).ink;
    assert_eq!((ink("F1"), ink("stride --top")), (Some(6), Some(2)));
    let inks = screen.inks_of(" api");
    assert!(inks.starts_with(&[6, 1]), "{inks:?}: {:#?}", screen.text());
}

/// The lines without what differs from run to run: the graph, numbers, and the order of the rows.
fn shape(screen: &[String]) -> Vec<String> {
    let tabs = screen.iter().position(|line| line.contains("1 Processes")).unwrap();
    let (head, rest) = (&screen[..1], &screen[tabs..]);
    let (titles, rows) = rest.split_at(3);
    let (rows, foot) = rows.split_at(rows.len() - 1);
    let row = |line: &String| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words[words.len().saturating_sub(2)..].join(" ")
    };
    let mut rows: Vec<String> = rows.iter().map(row).filter(|row| !row.is_empty()).collect();
    rows.sort();
    let graph =
        screen[1..tabs].iter().filter_map(|line| line.split_whitespace().next()).filter(|word| word.contains('/'));
    let graph = graph.map(str::to_owned);
    let plain = |line: &String| {
        line.chars().filter(|c| !c.is_ascii_digit() && !",.▁▂▃▄▅▆▇█".contains(*c)).collect::<String>().trim().to_owned()
    };
    let head = head.iter().map(plain).chain(graph);
    head.chain(titles.to_vec()).chain(rows).chain(foot.to_vec()).collect()
}
