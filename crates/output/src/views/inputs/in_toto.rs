//! The list as an in-toto statement (v1) with a runtime trace (predicate v0.1): https://in-toto.io/attestation/runtime-trace/v0.1

use super::about::{AboutList, FileContent, file_uri, materials, products};
use super::gathered::InputsOfRun;
use super::json::{addresses, tracer, used_by};
use super::listing::{ListPart, files};
use super::names::UsedPath;
use crate::views::json::Json;

/// The kinds of what Stride tells, for readers that know them.
const MONITOR: &str = "urn:x-stride:monitor:0.1";
const COMMAND: &str = "urn:x-stride:command:0.1";

/// A file, its part of the list, and its content.
type Accessed<'a> = (&'a UsedPath, ListPart, FileContent);

/// The statement is about the files that the run made. `None` if there is none whose content is known: a statement
/// must be about something.
pub fn in_toto(of: &InputsOfRun, about: &AboutList<'_>) -> Option<Vec<u8>> {
    // (Each file is read once, so that its digests agree.)
    let read = |(it, part)| (it, part, about.content(it, part));
    let made: Vec<Accessed<'_>> = products(of).map(read).collect();
    if made.iter().all(|(_, _, content)| content.digest.is_none()) {
        return None;
    }
    let mut out = Vec::new();
    Json::new(&mut out).object(|j| {
        j.key("_type").str("https://in-toto.io/Statement/v1");
        j.key("subject").array(|j| {
            for (it, _, content) in &made {
                if let Some((hex, _)) = &content.digest {
                    j.object(|j| {
                        j.key("name").bytes(&it.path);
                        j.key("digest").object(|j| j.key("sha256").str(hex));
                    });
                }
            }
        });
        j.key("predicateType").str("https://in-toto.io/attestation/runtime-trace/v0.1");
        let used: Vec<Accessed<'_>> = materials(of).map(read).collect();
        j.key("predicate").object(|j| predicate(of, about, used.iter().chain(&made), j));
    });
    out.push(b'\n');
    Some(out)
}

fn predicate<'a>(
    of: &InputsOfRun,
    about: &AboutList<'_>,
    files_accessed: impl Iterator<Item = &'a Accessed<'a>>,
    j: &mut Json<'_>,
) {
    j.key("monitor").object(|j| {
        j.key("type").str(MONITOR);
        j.key("tracePolicy").object(|j| {
            tracer(about, j);
            j.key("calls").int(of.calls);
            j.key("lost").int(about.lost);
            j.key("whole").bool(about.reasons.is_empty());
            j.key("reasons").array(|j| about.reasons.iter().for_each(|reason| j.str(reason)));
        });
    });
    j.key("monitoredProcess").object(|j| {
        // A host as a URI has it: RFC 4501.
        j.key("hostID").str(&format!("dns:{}", about.info.host));
        j.key("type").str(COMMAND);
        j.key("event").str(&about.command());
    });
    j.key("monitorLog").object(|j| {
        j.key("process").array(|j| {
            for it in files(of, ListPart::Programs) {
                j.object(|j| {
                    j.key("processBinary").bytes(&it.path);
                    used_by(&it.users, of, j);
                });
            }
        });
        j.key("network").array(|j| addresses(of, j));
        j.key("fileAccess").array(|j| files_accessed.for_each(|it| access(it, of, j)));
    });
    j.key("metadata").object(|j| {
        j.key("buildStartedOn").str(&about.date(about.info.started));
        j.key("buildFinishedOn").str(&about.date(of.names.now));
    });
}

/// A resource descriptor.
fn access((it, part, content): &Accessed<'_>, of: &InputsOfRun, j: &mut Json<'_>) {
    j.object(|j| {
        j.key("name").bytes(&it.path);
        j.key("uri").str(&file_uri(&it.path));
        if let Some((hex, _)) = &content.digest {
            j.key("digest").object(|j| j.key("sha256").str(hex));
        }
        j.key("annotations").object(|j| {
            j.key("use").str(part.word());
            content.marks().for_each(|mark| j.key(mark).bool(true));
            if let Some(why) = content.not_hashed {
                j.key("not_hashed").str(why);
            }
            used_by(&it.users, of, j);
        });
    });
}
