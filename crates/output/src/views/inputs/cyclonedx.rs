//! The list as a bill of materials: CycloneDX 1.6 in JSON (ECMA-424).
//!
//! The run is the component that the bill describes. It depends on its materials; its products depend on the run.

use super::about::{AboutList, file_uri, materials, products};
use super::gathered::InputsOfRun;
use super::listing::ListPart;
use super::names::UsedPath;
use crate::views::json::Json;

/// The reference of the run within the document. (Those of files are URIs.)
const RUN: &str = "run";

pub fn cyclonedx(of: &InputsOfRun, about: &AboutList<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    Json::new(&mut out).object(|j| {
        j.key("$schema").str("http://cyclonedx.org/schema/bom-1.6.schema.json");
        j.key("bomFormat").str("CycloneDX");
        j.key("specVersion").str("1.6");
        j.key("version").int(1);
        j.key("metadata").object(|j| metadata(of, about, j));
        let components = || materials(of).chain(products(of));
        j.key("components").array(|j| components().for_each(|(it, part)| component(it, part, of, about, j)));
        j.key("dependencies").array(|j| {
            depends(RUN, materials(of).map(|(it, _)| file_uri(&it.path)), j);
            for (it, _) in products(of) {
                depends(&file_uri(&it.path), std::iter::once(RUN.to_owned()), j);
            }
        });
        j.key("compositions").array(|j| {
            j.object(|j| {
                j.key("aggregate").str(if about.reasons.is_empty() { "complete" } else { "incomplete" });
                j.key("dependencies").array(|j| j.str(RUN));
            });
        });
        j.key("formulation").array(|j| j.object(|j| formula(of, about, j)));
    });
    out.push(b'\n');
    out
}

fn metadata(of: &InputsOfRun, about: &AboutList<'_>, j: &mut Json<'_>) {
    j.key("timestamp").str(&about.date(about.info.started));
    j.key("tools").object(|j| {
        j.key("components").array(|j| {
            j.object(|j| {
                j.key("type").str("application");
                j.key("name").str("stride");
                j.key("version").str(&about.info.version);
            });
        });
    });
    j.key("component").object(|j| {
        j.key("type").str("application");
        j.key("bom-ref").str(RUN);
        j.key("name").str(&about.command());
    });
    j.key("properties").array(|j| {
        property("host", about.info.host.as_bytes(), j);
        property("engine", about.info.engine.as_bytes(), j);
        property("calls", of.calls.to_string().as_bytes(), j);
        property("lost", about.lost.to_string().as_bytes(), j);
        about.reasons.iter().for_each(|reason| property("may_be_incomplete", reason.as_bytes(), j));
        for (dealing, address) in of.network.all.keys() {
            property(&format!("address:{}", dealing.word()), address, j);
        }
    });
}

fn component(it: &UsedPath, part: ListPart, of: &InputsOfRun, about: &AboutList<'_>, j: &mut Json<'_>) {
    let content = about.content(it, part);
    j.object(|j| {
        j.key("type").str("file");
        j.key("bom-ref").str(&file_uri(&it.path));
        j.key("name").bytes(&it.path);
        if let Some((hex, _)) = &content.digest {
            j.key("hashes").array(|j| {
                j.object(|j| {
                    j.key("alg").str("SHA-256");
                    j.key("content").str(hex);
                });
            });
        }
        j.key("properties").array(|j| {
            property("use", part.word().as_bytes(), j);
            if let Some((_, size)) = &content.digest {
                property("size", size.to_string().as_bytes(), j);
            }
            content.marks().for_each(|mark| property(mark, b"true", j));
            if let Some(why) = content.not_hashed {
                property("not_hashed", why.as_bytes(), j);
            }
            it.users.ids().iter().for_each(|id| property("by", of.programs.path(*id), j));
            if it.users.more {
                property("by_more", b"true", j);
            }
        });
    });
}

/// `stride:NAME`, as CycloneDX wants names of properties: with a namespace.
fn property(name: &str, value: &[u8], j: &mut Json<'_>) {
    j.object(|j| {
        j.key("name").str(&format!("stride:{name}"));
        j.key("value").bytes(value);
    });
}

fn depends(from: &str, on: impl Iterator<Item = String>, j: &mut Json<'_>) {
    j.object(|j| {
        j.key("ref").str(from);
        j.key("dependsOn").array(|j| on.for_each(|reference| j.str(&reference)));
    });
}

/// How the products came to be: one run, from the materials to the products.
fn formula(of: &InputsOfRun, about: &AboutList<'_>, j: &mut Json<'_>) {
    let resource = |it: &UsedPath, j: &mut Json<'_>| {
        j.key("resource").object(|j| j.key("ref").str(&file_uri(&it.path)));
    };
    j.key("workflows").array(|j| {
        j.object(|j| {
            j.key("bom-ref").str("workflow");
            j.key("uid").str("workflow");
            j.key("taskTypes").array(|j| j.str("other"));
            j.key("inputs").array(|j| materials(of).for_each(|(it, _)| j.object(|j| resource(it, j))));
            j.key("outputs").array(|j| {
                for (it, _) in products(of) {
                    j.object(|j| {
                        j.key("type").str("artifact");
                        resource(it, j);
                    });
                }
            });
            j.key("timeStart").str(&about.date(about.info.started));
            j.key("timeEnd").str(&about.date(of.names.now));
        });
    });
}
