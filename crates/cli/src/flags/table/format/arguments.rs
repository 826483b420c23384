//! The look of arguments, and the part of them that is shown.

use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value, words};
use crate::flags::table::sets::{DESCRIPTORS, SYSCALLS};
use crate::flags::values;
use std::path::PathBuf;
use stride_filter::{CallSet, Catalog, FdDetail, PidDetail, WordSet, parse_descriptors, parse_syscalls};
use stride_session::options::{HexStrings, NameStyle};

const BASE: Flag = Flag { category: Category::Format, ..Flag::BASE };

/// The largest string limit that strace accepts.
const STRING_LIMIT_MAX: u64 = (1 << 30) - 1;

pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("abbrev"),
        qualifiers: &["abbrev", "a"],
        arg: Arg::Required("SET"),
        value: SYSCALLS,
        help: "shorten the structures of these calls (default all)",
        doc: "Leaves out the less important members of structures for the calls of the set, which is written as for \
              --trace. The default is all; -v means none.",
        update: |raw, given| {
            raw.options.decoding.abbrev = parse_syscalls(&given.text(), Catalog::native())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("decode-fds"),
        qualifiers: &["decode-fds", "decode-fd"],
        arg: Arg::Optional("SET"),
        value: Value::Set(|| words(WordSet::<FdDetail>::spellings())),
        help: "say what file descriptors refer to; see the man page",
        doc: "Prints after each file descriptor what it refers to. Without SET, that means path.\n\n\
              * path: the path of the file, and for AT_FDCWD, the working directory\n\
              * socket: protocol and addresses\n\
              * dev: device numbers of character and block devices\n\
              * eventfd: state of the eventfd\n\
              * pidfd: the id of the process\n\
              * signalfd: the set of signals\n\n\
              The option cannot be combined with -y.",
        update: |raw, given| {
            raw.decode_fds = Some(match given.value {
                None => WordSet::of(&[FdDetail::Path]),
                Some(_) => WordSet::parse(&given.text())?,
            });
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("decode-pids"),
        qualifiers: &["decode-pids", "decode-pid"],
        arg: Arg::Required("SET"),
        value: Value::Set(|| words(WordSet::<PidDetail>::spellings())),
        help: "say more about process ids: comm, pidns",
        doc: "Prints more about the ids of processes, threads, process groups and sessions.\n\n\
              * comm: the name of the command\n\
              * pidns: the id in Stride's own PID namespace, if the process is in another",
        update: |raw, given| {
            raw.options.decode_pids = WordSet::parse(&given.text())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('N'),
        long: Some("arg-names"),
        help: "print the names of arguments",
        doc: "Prints the arguments of calls as name=value.",
        update: |raw, _| {
            raw.options.lines.style.arg_names = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("paths-only"),
        own: true,
        help: "show stars in place of all texts and data but paths",
        habits: &["no-data", "hide-data", "privacy"],
        doc: "Shows stars in place of all texts and data but paths, as many as there are bytes, in every view, table and recording: what is read, written and \
              sent, the arguments and the environment of programs, values of extended attributes. Numbers, addresses of sockets, names of threads and \
              functions, and texts in structures (uname) stay. Paths are searched for secrets, as with --redact, which this option implies. Of command \
              lines the first word stays, and words that begin with /, ./ or ../. With --replay, that is done when a recording is shown.",
        update: |raw, _| {
            raw.options.paths_only = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("pidns-translation"),
        help: "the same as --decode-pids=pidns",
        doc: "Prints process ids in Stride's own PID namespace too, as --decode-pids=pidns does.",
        update: |raw, _| {
            raw.options.decode_pids = raw.options.decode_pids.with(PidDetail::Pidns);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("raw"),
        qualifiers: &["raw", "x"],
        arg: Arg::Required("SET"),
        value: SYSCALLS,
        help: "print the arguments of these calls as plain numbers",
        doc: "Prints the arguments of the calls of the set as hexadecimal numbers, without decoding them; see --trace for \
              what the set may be.",
        update: |raw, given| {
            raw.options.decoding.raw = parse_syscalls(&given.text(), Catalog::native())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("read"),
        qualifiers: &["read", "reads", "r"],
        arg: Arg::Required("SET"),
        value: DESCRIPTORS,
        help: "dump all data read from these file descriptors",
        doc: "Prints all data read from the file descriptors of the set, in hexadecimal and ASCII, below the calls that \
              read it. --read=3,5 prints the data read from descriptors 3 and 5. This does not change which calls are reported.",
        update: |raw, given| {
            raw.options.decoding.dump_read = parse_descriptors(&given.text())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("redact"),
        arg: Arg::Optional("FILE"),
        value: Value::File,
        own: true,
        help: "show stars in place of passwords, tokens and keys",
        habits: &["hide", "mask", "secrets", "anonymize"],
        doc: "Shows stars in place of secrets, as many as the secret has bytes, in every view, table and recording: tokens and keys \
              of known forms, values of names such as DB_PASSWORD and of options such as --password, headers that authenticate, \
              passwords in URLs, hashes of passwords, private keys, and the data of files that hold secrets, such as \
              /etc/shadow. FILE has further regular expressions, one in each line; if one has a group, the group is the secret. \
              At the end, Stride says how many secrets there were. A secret that is written in parts, each by a call of its own, \
              is not found, so look before you hand a trace on. With --replay, a recording is redacted when it is shown.",
        update: |raw, given| {
            raw.options.redact = Some(given.value.clone().map(PathBuf::from));
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('s'),
        long: Some("string-limit"),
        arg: Arg::Required("SIZE"),
        help: "print at most SIZE bytes of each string (default 32)",
        brief: Some(HelpEntry { group: HelpGroup::Lines, place: 2, text: "more of strings" }),
        doc: "Prints at most SIZE bytes of each string and SIZE elements of each array. The default is 32. File names \
              are always printed in full.",
        update: |raw, given| {
            let size = values::integer(&given.text(), STRING_LIMIT_MAX).ok_or_else(|| given.invalid())?;
            raw.options.decoding.text = size as usize;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("strings-in-hex"),
        arg: Arg::Optional("WHICH"),
        value: Value::Word(|| words(["all", "non-ascii", "non-ascii-chars", "none"])),
        help: "use hexadecimal escapes in strings; see the man page",
        doc: "Says which strings are printed as hexadecimal escapes rather than octal ones where needed. Without WHICH that \
              is all.\n\n\
              * none: none\n\
              * non-ascii-chars: only the characters that need an escape\n\
              * non-ascii: all of a string that has such a character\n\
              * all: all of all strings\n\n\
              The option cannot be combined with -x.",
        update: |raw, given| {
            const WORDS: [(&str, HexStrings); 4] = [
                ("none", HexStrings::Never),
                ("non-ascii-chars", HexStrings::NonAsciiChars),
                ("non-ascii", HexStrings::NonAscii),
                ("all", HexStrings::All),
            ];
            raw.hex_strings = Some(match given.value {
                None => HexStrings::All,
                Some(_) => values::word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?,
            });
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('v'),
        long: Some("no-abbrev"),
        help: "print structures in full",
        doc: "Prints structures, arrays, environments and the like in full, as --abbrev=none does.",
        update: |raw, _| {
            raw.options.decoding.abbrev = CallSet::empty();
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("verbose"),
        qualifiers: &["verbose", "v"],
        arg: Arg::Required("SET"),
        value: SYSCALLS,
        help: "read the structures of these calls (default all)",
        doc: "Prints what pointers to structures point to for the calls of the set, and only addresses for other calls; \
              see --trace for what the set may be. The default is all.",
        update: |raw, given| {
            raw.options.decoding.verbose = parse_syscalls(&given.text(), Catalog::native())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("write"),
        qualifiers: &["write", "writes", "w"],
        arg: Arg::Required("SET"),
        value: DESCRIPTORS,
        help: "dump all data written to these file descriptors",
        doc: "Prints all data written to the file descriptors of the set, in hexadecimal and ASCII, below the calls that \
              write it. This does not change which calls are reported.",
        update: |raw, given| {
            raw.options.decoding.dump_write = parse_descriptors(&given.text())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('x'),
        help: "print non-ASCII strings in hexadecimal; -xx: all strings",
        doc: "Prints strings that are not plain ASCII as hexadecimal escapes, and with -xx, all strings.",
        update: |raw, _| {
            raw.hex_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('X'),
        long: Some("const-print-style"),
        arg: Arg::Required("STYLE"),
        value: Value::Word(|| words(["abbrev", "raw", "verbose"])),
        help: "print constants and flags as raw, abbrev or verbose",
        doc: "Says how named constants and flags are printed.\n\n\
              * raw: as numbers\n\
              * abbrev: by name if they have one (default)\n\
              * verbose: as numbers with the name in a comment",
        update: |raw, given| {
            const WORDS: [(&str, NameStyle); 3] =
                [("raw", NameStyle::Raw), ("abbrev", NameStyle::Abbrev), ("verbose", NameStyle::Verbose)];
            raw.options.lines.style.names = values::exact_word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('y'),
        help: "print the paths of descriptors; -yy: all their details",
        brief: Some(HelpEntry { group: HelpGroup::Lines, place: 5, text: "what each fd is" }),
        doc: "Prints the path of the file after each descriptor, and the working directory after AT_FDCWD, as \
              --decode-fds=path does. -yy prints all the details of --decode-fds=all.",
        update: |raw, _| {
            raw.decode_fds_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('Y'),
        help: "print the command names of process ids",
        doc: "Prints the command name after each process id, as --decode-pids=comm does.",
        update: |raw, _| {
            raw.options.decode_pids = raw.options.decode_pids.with(PidDetail::Comm);
            Ok(())
        },
        ..BASE
    },
];

#[cfg(test)]
mod tests {
    use crate::flags::parser::{failure_of, options_of};

    #[test]
    fn arguments_in_their_limits() {
        assert_eq!(options_of(&["-s", "1073741823", "x"]).decoding.text, 1073741823);
        for (words, message) in [
            (&["-s", "1073741824"][..], "invalid -s argument: '1073741824'"),
            (&["--string-limit=-42"], "invalid --string-limit argument: '-42'"),
            (&["-a", "-42"], "invalid -a argument: '-42'"),
            (&["-Xa"], "invalid -X argument: 'a'; it may be abbrev, raw, verbose"),
            (&["--color=foo"], "invalid --color argument: 'foo'; it may be always, auto, never"),
            (&["--color="], "invalid --color argument: ''; it may be always, auto, never"),
            (&["--relative-timestamps=n"], "invalid --relative-timestamps argument: 'n'; it may be ms, ns, s, us"),
            (&["--syscall-times="], "invalid --syscall-times argument: ''; it may be ms, ns, s, us"),
            (
                &["--strings-in-hex=al"],
                "invalid --strings-in-hex argument: 'al'; it may be all, non-ascii, non-ascii-chars, none",
            ),
            (&["--daemonised=pgr"], "invalid --daemonised argument: 'pgr'; did you mean 'pgrp'?"),
            (&["--syscall-limit=0"], "invalid --syscall-limit argument: '0'"),
            (&["-I0"], "invalid -I argument: '0'; it may be anywhere, waiting, never, never_tstp"),
            (&["-Inev"], "invalid -I argument: 'nev'; it may be anywhere, waiting, never, never_tstp"),
            (&["-O", "-42"], "invalid -O argument: '-42'"),
        ] {
            assert_eq!(failure_of(words)[0], message);
        }
    }
}
