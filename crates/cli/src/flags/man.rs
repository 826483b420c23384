//! The man page, in the man(7) macros.

use super::examples::{EXAMPLES, Example};
use super::flag::{Arg, Category, Flag};
use super::table;
use std::fmt::Write;

pub fn page() -> String {
    let mut out = format!(
        ".\\\" Generated from the option table by `cargo xtask docs`; change it there.\n\
         .TH STRIDE 1 \"\" \"stride {}\" \"User Commands\"\n",
        env!("CARGO_PKG_VERSION")
    );
    out.push_str(
        ".SH NAME\n\
         stride \\- trace system calls and signals\n\
         .SH SYNOPSIS\n\
         .B stride\n\
         .RI [ options ]\n\
         .RB [ \\-p\n\
         .IR pid ]...\n\
         .I command\n\
         .RI [ args ]\n\
         .br\n\
         .B stride\n\
         .RI [ options ]\n\
         .B \\-p\n\
         .IR pid ...\n",
    );
    section(&mut out, "DESCRIPTION", DESCRIPTION);
    // Where most readers look for something to copy, so it comes early.
    section(&mut out, "EXAMPLES", "I want to");
    for Example { task, command, .. } in EXAMPLES {
        let _ = writeln!(out, ".TP\n{}:", line(task));
        for (i, command) in command.split("; ").enumerate() {
            let _ = writeln!(out, "{}.B {}", if i == 0 { "" } else { ".br\n" }, line(command));
        }
    }
    out.push_str(".SH OPTIONS\n");
    paragraphs(&mut out, OPTIONS_INTRODUCTION);
    for category in Category::ALL {
        let _ = writeln!(out, ".SS {}", category.title());
        for flag in table::all().filter(|flag| flag.category == category) {
            option(&mut out, flag);
        }
    }
    section(&mut out, "EXIT STATUS", EXIT_STATUS);
    section(&mut out, "ENVIRONMENT", ENVIRONMENT);
    section(&mut out, "ORDER OF THREADS", ORDER);
    section(&mut out, "NOTES", NOTES);
    out.push_str(".SH SEE ALSO\n.BR strace (1),\n.BR perf\\-trace (1),\n.BR ptrace (2),\n.BR seccomp (2),\n.BR syscalls (2),\n.BR bpf (2),\n.BR regex (7),\n.BR signal (7)\n");
    out
}

const DESCRIPTION: &str = "Stride runs a command, or attaches to processes, and prints the system calls they make and \
the signals they receive until they end or Stride is interrupted. Each line is a call: its name, its arguments in \
parentheses, and after an equals sign, its result. The trace goes to standard error unless -o names a file.\n\n\
Options and output are those of strace(1), so that Stride can stand in for it. What Stride adds is a way of observing \
calls without stopping the program at each of them; see --engine.\n\n\
Arguments are printed by their meaning where it is known: flags and constants by name, strings in quotes and shortened \
to the size of -s, structures in braces and arrays in brackets. What could not be read is printed as its address. After a \
call that fails come the name of the error and its description.\n\n\
When another thread does something while a call is going on, the line of that call ends in <unfinished ...>, and is \
taken up by a line that begins with <... NAME resumed>. Signals are printed between --- and ---, the ends of processes \
between +++ and +++.";

const OPTIONS_INTRODUCTION: &str = "Options end at the first word that is not an option: that word is the command, and what follows are \
its arguments. Short options may be joined, as in -fy, and so may a short option and its argument. Long options may be \
abbreviated as long as it is clear which one is meant. If an option is given more than once, the last one counts, unless its description says otherwise.";

const EXIT_STATUS: &str = "Stride ends as its command did: with the same exit status, or by the same signal. In other cases, \
the status is\n\n\
* 0: Stride traced processes that it did not start, until they ended; or it showed a recording\n\
* 1: there is a mistake in the options, or a program, process or file cannot be found or opened; a message says which\n\
* 3: a limit of --budget is broken or could not be checked; the command's own status does not matter then\n\
* 130: CTRL-C ended the tracing. Stride detached from the processes, wrote everything out, and then died by SIGINT, which \
shells show as 130. It is 143 after SIGTERM, and 128 plus the number of the signal in general\n\n\
If Stride runs a command and writes a file (-o, --record and others), CTRL-C goes to the command only; see -I.";

const ENVIRONMENT: &str = "* NO_COLOR: if set, --color=auto means never\n\
* STRACE_COLORS: the colours; see --color\n\
* TERM: if dumb, --color=auto means never\n\
* STRIDE_BROKER: the socket of stride-broker, which loads eBPF programs for users without privileges. Default: /run/stride/broker.sock\n\
* PATH: where the command is looked for, unless its name has a slash in it";

const ORDER: &str = "The ptrace engine writes a call's line when the call begins, as strace does. If another thread's line \
                     comes before the result, the line is cut in two, with <unfinished ...> and <... resumed>.\n\n\
The eBPF engine writes whole lines when calls return, in the order in which they return. For a program with one thread, the trace is the same. With several threads, three things differ from strace. Fewer lines are cut. With -t or -r, the times are those at which calls began, so a line may have an earlier time than the line before it. And an effect may come before its cause: a read that a write wakes up may return, and be shown, before the write. A call that has not returned after a tenth of a second is shown as strace shows it, and its line is cut when other lines follow. If SIGSTOP and SIGCONT follow each other quickly, only the stop of the thread that took SIGSTOP is certain to be shown.";

const NOTES: &str = "The arguments are printed as the tracer read them. Another thread of the program may change them \
                     before the kernel reads them, so a trace helps to find out what happened, but is no security tool.\n\n\
Library functions often make other calls than the one with their name; fork, for example, calls clone.\n\n\
Programs that are set-user-ID run without the privileges of their owner when they are traced by a user other than root.";

fn section(out: &mut String, title: &str, text: &str) {
    let _ = writeln!(out, ".SH {title}");
    paragraphs(out, text);
}

fn option(out: &mut String, flag: &Flag) {
    let mut headings = Vec::new();
    if let Some(short) = flag.short {
        headings.push(match flag.arg {
            Arg::Required(arg) => format!("\\fB\\-{short}\\fR \\fI{}\\fR", escape(arg)),
            Arg::None | Arg::Optional(_) => format!("\\fB\\-{short}\\fR"),
        });
    }
    for long in flag.longs() {
        let long = escape(&format!("--{long}"));
        headings.push(match flag.arg {
            Arg::None => format!("\\fB{long}\\fR"),
            Arg::Required(arg) => format!("\\fB{long}\\fR=\\fI{}\\fR", escape(arg)),
            Arg::Optional(arg) => format!("\\fB{long}\\fR[=\\fI{}\\fR]", escape(arg)),
        });
    }
    for qualifier in flag.qualifiers {
        let arg = flag.arg.name().unwrap_or_default();
        headings.push(format!("\\fB\\-e {}\\fR=\\fI{}\\fR", escape(qualifier), escape(arg)));
    }
    for (i, heading) in headings.iter().enumerate() {
        let _ = writeln!(out, "{}\n{heading}", if i == 0 { ".TP" } else { ".TQ" });
    }
    body(out, flag.doc, ".IP");
}

fn paragraphs(out: &mut String, text: &str) {
    out.push_str(".PP\n");
    body(out, text, ".PP");
}

/// The paragraphs of `text`, with `separator` between them. Lists are indented.
fn body(out: &mut String, text: &str, separator: &str) {
    for (i, paragraph) in text.split("\n\n").enumerate() {
        if paragraph.starts_with("* ") {
            out.push_str(".RS\n");
            for item in paragraph.lines() {
                let item = item.strip_prefix("* ").unwrap_or(item);
                let (term, meaning) = item.split_once(": ").unwrap_or((item, ""));
                let _ = writeln!(out, ".TP\n.B {}\n{}", escape(term), line(meaning));
            }
            out.push_str(".RE\n");
        } else {
            if i > 0 {
                let _ = writeln!(out, "{separator}");
            }
            let _ = writeln!(out, "{}", line(paragraph));
        }
    }
}

/// Escapes a line of text that would look like a request.
fn line(text: &str) -> String {
    let text = escape(text);
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '\'' => out.push_str("\\(aq"),
            '"' => out.push_str("\\(dq"),
            '^' => out.push_str("\\(ha"),
            '~' => out.push_str("\\(ti"),
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_never_becomes_a_request() {
        assert_eq!(line(".so x"), "\\&.so x");
        assert_eq!(line("'a' \\n -x"), "\\(aqa\\(aq \\en \\-x");
    }

    #[test]
    fn every_option_is_in_it() {
        let page = page();
        for flag in table::all() {
            for name in flag.short.map(|c| format!("-{c}")).into_iter().chain(flag.longs().map(|l| format!("--{l}"))) {
                assert!(page.contains(&format!("\\fB{}\\fR", escape(&name))), "{name}");
            }
        }
    }
}
