//! The list as text.

use super::gathered::InputsOfRun;
use super::listing::{ListPart, files};
use super::names::{UsedPath, Uses};
use crate::spelling::quote::shown;
use crate::views::summary::errno_name;
use crate::{HexStrings, escape_path};
use stride_event::quantity::count;

pub fn text(of: &InputsOfRun, ending: &str) -> String {
    let mut out = String::new();
    for part in ListPart::ALL {
        if part == ListPart::Made {
            addresses(of, &mut out);
            environment(of, &mut out);
        }
        let all: Vec<&UsedPath> = files(of, part).collect();
        if all.is_empty() {
            continue;
        }
        out += &format!("{} ({}):\n", part.heading(), all.len());
        all.iter().for_each(|it| line(it, part, of, &mut out));
        out.push('\n');
    }
    out + ending
}

fn addresses(of: &InputsOfRun, out: &mut String) {
    if of.network.all.is_empty() {
        return;
    }
    *out += &format!("Addresses ({}):\n", of.network.all.len());
    for ((dealing, address), it) in &of.network.all {
        let failed = match it.failed {
            0 => String::new(),
            failed if failed == it.times => format!(", {}", errno_name(it.errno)),
            failed => format!(", {} of {} {}", failed, it.times, errno_name(it.errno)),
        };
        *out += &format!("  {} {}{failed}", dealing.word(), shown(address));
        users(&of.programs.names(&it.users), it.users.more, out);
    }
    out.push('\n');
}

fn environment(of: &InputsOfRun, out: &mut String) {
    let all = &of.environment.all;
    if all.is_empty() {
        return;
    }
    *out += &format!("Variables of the environment that were looked up ({}):\n", all.len());
    for (name, it) in all {
        let found = match it.found {
            0 => "not set".to_owned(),
            found if found == it.times => "set".to_owned(),
            found => format!("set {found} of {}", count(it.times, "time", "times")),
        };
        *out += &format!("  {} ({found})", shown(name));
        users(&of.programs.names(&it.users), it.users.more, out);
    }
    out.push('\n');
}

/// A heading, and a line for each file.
pub fn file_lines(heading: &str, all: &[&UsedPath], of: &InputsOfRun, out: &mut String) {
    if all.is_empty() {
        return;
    }
    *out += &format!("{heading} ({}):\n", all.len());
    for it in all {
        *out += &format!("  {}", path(&it.path));
        users(&of.programs.names(&it.users), it.users.more, out);
    }
    out.push('\n');
}

fn line(it: &UsedPath, part: ListPart, of: &InputsOfRun, out: &mut String) {
    *out += "  ";
    *out += &path(&it.path);
    match part {
        ListPart::Missing if it.missed > 1 => *out += &format!(" ({})", count(it.missed.into(), "time", "times")),
        ListPart::Refused => *out += &format!(" ({})", errno_name(it.errno)),
        ListPart::Made if it.uses.has(Uses::DIRECTORY) => *out += "/",
        ListPart::Made if it.uses.has(Uses::INTERMEDIATE) => *out += " (and used)",
        _ => {}
    }
    users(&of.programs.names(&it.users), it.users.more, out);
}

fn users(names: &[&[u8]], more: bool, out: &mut String) {
    for (i, name) in names.iter().enumerate() {
        *out += if i == 0 { "  by " } else { ", " };
        *out += &path(name);
    }
    *out += if more { ", ...\n" } else { "\n" };
}

/// A path that cannot confuse its line.
pub fn path(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len());
    escape_path(&mut out, bytes, HexStrings::Never);
    String::from_utf8_lossy(&out).into_owned()
}
