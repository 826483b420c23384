//! Examples, for `--help` and the man page.

/// A command line, and what it does.
pub const EXAMPLES: [(&str, &str); 8] = [
    ("stride -f -o log make", "trace make and all that it starts, into a file"),
    ("stride -e trace=%file ls", "only the calls that take a file name"),
    ("stride -p 4242 -e trace=%network -T", "a process that runs already: its network calls, with their times"),
    ("stride -y -P /etc/passwd id", "only the calls that touch this file"),
    ("stride -c -f ./configure", "count the calls instead of printing them"),
    ("stride -f --by=path,syscall make", "count by file and call"),
    ("stride -f --advise ./program", "say what is slow, and what would help"),
    ("stride -f --html=page.html make", "write a page about the run, for a browser"),
];
