//! The picture of a finding in the documents, held against a run. STRIDE_UPDATE_DOCS=1 makes it anew.

mod common;

use common::*;
use regex::Regex;
use stride_test_support::picture::{Picture, documented};

/// Lines and columns that a reader sees without scrolling.
const MOST_LINES: usize = 25;
const MOST_COLUMNS: usize = 100;

/// The kernel's delays do not depend on how fast the machine is.
#[test]
fn the_picture_of_a_finding_is_what_stride_prints() {
    need_ebpf!();
    let scratch = Scratch::new("advise-picture");
    let program = scratch.path("small-sends");
    or_skip!(cc_with_lines(&root().join("tests/advise/small-sends.c"), &program));
    let run = |color: &str| {
        let mut command = bare_stride();
        command.args(["-f", "--advise", color, "./small-sends"]).current_dir(scratch.path("")).env("TERM", "xterm");
        Run::of(command).err
    };
    let screen = Picture::of(&run("--color=always"));
    let text = screen.text();
    assert!(text.iter().all(|line| line.chars().count() <= MOST_COLUMNS), "{text:#?}");
    let documented = documented("advise.svg", &screen.svg("$ stride -f --advise ./small-sends"));
    // (How many lines the time of a run takes differs from run to run.)
    assert!(documented.len() < MOST_LINES, "{documented:#?}");
    assert_eq!(shape(&documented), shape(&text), "STRIDE_UPDATE_DOCS=1 makes docs/advise.svg anew");

    let ink = |text: &str| screen.style_of(text).unwrap_or_else(|| panic!("no {text}: {:#?}", screen.text())).ink;
    assert_eq!((ink("[small-sends]"), ink("saves"), ink("likely")), (Some(3), Some(6), None));
    // Only a terminal gets colours unless they are asked for.
    assert!(!run("--color=auto").contains('\x1b'));
}

/// The words without what differs from run to run: numbers with their units, the lines whose calls were sampled, and
/// where lines are broken. The parts of the time below the last head differ, too.
fn shape(lines: &[String]) -> String {
    let parts = lines.iter().position(|line| line.starts_with("Where the ")).expect("where the time went");
    let lines = &lines[..=parts];
    let words = lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    let sampled = Regex::new(" from main .* do ").unwrap();
    let words = sampled.replace(&words, " from main do ");
    let numbers = Regex::new(r"[0-9][0-9,.]*( (ns|µs|ms|s)\b)?").unwrap();
    numbers.replace_all(&words, "#").into_owned()
}
