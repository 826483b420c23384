// case: each line of a report is written to the file by itself, in pieces
// first: report.txt
// first: write
// useful: report.txt
// saves: calls
use std::fs::File;
use std::io::{BufWriter, Write};

fn report(mut out: impl Write) {
    for i in 0..4000 {
        writeln!(out, "row {i}: value {}, square {}", i * 3, i * i).unwrap();
    }
}

fn main() {
    let file = File::create("report.txt").unwrap();
    if std::env::args().nth(1).as_deref() == Some("corrected") {
        report(BufWriter::new(file));
    } else {
        report(file);
    }
}
