//! The list as a JSON document.

use super::about::AboutList;
use super::gathered::InputsOfRun;
use super::listing::{ListPart, files};
use super::names::{UsedPath, Uses};
use super::users::UsedBy;
use crate::views::json::Json;
use crate::views::summary::errno_name;
use std::os::unix::ffi::OsStrExt;

/// The format of the document. It grows when a reader has to be changed.
const VERSION: u32 = 1;

pub fn json(of: &InputsOfRun, about: &AboutList<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    Json::new(&mut out).object(|j| {
        j.key("type").str("stride-inputs");
        j.key("version").int(VERSION);
        j.key("stride").object(|j| tracer(about, j));
        j.key("host").str(&about.info.host);
        j.key("started_ns").int(i128::from(about.info.started) + about.info.wall_offset);
        j.key("hashed").bool(about.digests.is_some());
        for part in ListPart::ALL {
            j.key(part.word()).array(|j| files(of, part).for_each(|it| file(it, part, of, about, j)));
        }
        j.key("addresses").array(|j| addresses(of, j));
        j.key("environment").array(|j| environment(of, j));
        j.key("calls").int(of.calls);
        j.key("lost").int(about.lost);
        j.key("whole").bool(about.reasons.is_empty());
        j.key("reasons").array(|j| about.reasons.iter().for_each(|reason| j.str(reason)));
    });
    out.push(b'\n');
    out
}

/// Which Stride saw the run, and how.
pub fn tracer(about: &AboutList<'_>, j: &mut Json<'_>) {
    j.key("version").str(&about.info.version);
    j.key("engine").str(&about.info.engine);
    j.key("args").array(|j| {
        for arg in &about.info.args {
            j.bytes(arg.as_bytes());
        }
    });
}

fn file(it: &UsedPath, part: ListPart, of: &InputsOfRun, about: &AboutList<'_>, j: &mut Json<'_>) {
    j.object(|j| {
        j.name("path", &it.path);
        if it.uses.has(Uses::DIRECTORY) {
            j.key("directory").bool(true);
        }
        match part {
            ListPart::Missing => j.key("times").int(it.missed),
            ListPart::Refused => {
                j.key("times").int(it.refused);
                j.key("error").str(&errno_name(it.errno));
            }
            ListPart::Made => {
                j.key("used").bool(it.uses.has(Uses::INTERMEDIATE));
            }
            _ => {}
        }
        if part.has_content() && !it.uses.has(Uses::DIRECTORY) {
            content(it, part, about, j);
        }
        used_by(&it.users, of, j);
    });
}

fn content(it: &UsedPath, part: ListPart, about: &AboutList<'_>, j: &mut Json<'_>) {
    let content = about.content(it, part);
    if content.is_changed_by_run {
        j.key("changed_by_run").bool(true);
    }
    match &content.digest {
        Some((hex, size)) => {
            j.key("sha256").str(hex);
            j.key("size").int(*size);
        }
        None => content.not_hashed.into_iter().for_each(|why| j.key("not_hashed").str(why)),
    }
    if content.is_changed_since {
        j.key("changed_since").bool(true);
    }
}

pub fn addresses(of: &InputsOfRun, j: &mut Json<'_>) {
    for ((dealing, address), it) in &of.network.all {
        j.object(|j| {
            j.key("use").str(dealing.word());
            j.name("address", address);
            j.key("times").int(it.times);
            j.key("failed").int(it.failed);
            if it.failed > 0 {
                j.key("error").str(&errno_name(it.errno));
            }
            used_by(&it.users, of, j);
        });
    }
}

fn environment(of: &InputsOfRun, j: &mut Json<'_>) {
    for (name, it) in &of.environment.all {
        j.object(|j| {
            j.name("name", name);
            j.key("times").int(it.times);
            j.key("found").int(it.found);
            used_by(&it.users, of, j);
        });
    }
}

pub fn used_by(users: &UsedBy, of: &InputsOfRun, j: &mut Json<'_>) {
    j.key("by").array(|j| {
        for id in users.ids() {
            j.bytes(of.programs.path(*id));
        }
    });
    if users.more {
        j.key("by_more").bool(true);
    }
}
