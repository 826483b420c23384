//! Colours, and terminals without them.

use crate::common::*;
use crate::tmux::Tmux;

/// Colours come unless they are not wanted; the text is the same without.
#[test]
fn colours_can_be_turned_off() {
    need_tmux!();
    for (before, options, colored) in [
        ("", "", true),
        ("NO_COLOR=1", "", false),
        ("NO_COLOR=1", "--color=always", true),
        ("", "--color=never", false),
        ("TERM=dumb", "", false),
    ] {
        let tmux = Tmux::new(&format!("top-colors-{before}{options}"), 80, 24);
        // Programs that make calls for ever, one in two of which fails.
        std::fs::write(tmux.scratch.path("run"), "while :; do test -e nothing; sleep 0.02; done").unwrap();
        tmux.type_line("unset NO_COLOR; PS1=; PS1='ready> '");
        tmux.type_line(&format!("{before} {STRIDE} --engine=ptrace --top {options} sh run"));
        tmux.wait("rows", |screen| screen.contains(" sh\n") && screen.contains("CALLSv"));
        // A picture may be taken while the screen is drawn.
        let mut inks = Vec::new();
        let seen = crate::tmux::wait_for_state(|| {
            let picture = tmux.picture();
            let of = |text| picture.style_of(text).map(|style| style.ink);
            inks = vec![of("stride --top"), of("F1"), of("errors/s")];
            let expected = [Some(2), Some(6), Some(1)].map(|ink| Some(ink.filter(|_| colored)));
            inks[..2] == expected[..2] && (inks[2] == Some(None)) != colored
        });
        assert!(seen, "{before} {options}: {inks:?}");
        tmux.keys(&["C-c"]);
        tmux.is_restored();
    }
}

/// Curves consist of characters that the terminal can show.
#[test]
fn curves_follow_the_locale() {
    need_tmux!();
    for (locale, glyph) in [("C.UTF-8", '█'), ("C", '@')] {
        let tmux = Tmux::new(&format!("top-locale-{locale}"), 80, 24);
        std::fs::write(tmux.scratch.path("run"), "while :; do sleep 0.02; done").unwrap();
        tmux.type_line(&format!("LC_ALL={locale} {STRIDE} --engine=ptrace --top sh run"));
        tmux.wait("curve", |screen| {
            let row = screen.lines().find(|line| line.ends_with(" sh")).unwrap_or_default();
            row.contains(glyph)
        });
        tmux.keys(&["C-c"]);
        tmux.is_restored();
    }
}
