//! The JSON Schema of `--json`, made from the rows. So the schema of a value says the same as the row of its argument.

mod definitions;
mod fixed;
mod parts;

use super::VERSION;
use super::compared::COMPARED;
use definitions::Definitions;
use fixed::{EVENTS, FIXED};
use parts::{any_of, enumeration, object, one_line, reference, when};
use std::collections::{BTreeMap, BTreeSet};
use stride_advise::{QUANTITIES, QuantityKind};
use stride_syscalls::{Abi, Syscall, table};

/// The schema, with one definition per line.
pub fn text() -> String {
    let mut defs = Definitions::default();
    let calls = calls(&mut defs);
    let names: BTreeSet<&str> = Abi::ALL.iter().flat_map(|&abi| table(abi).iter().map(|e| e.row.name)).collect();
    let mut all: BTreeMap<String, String> = defs.done.into_iter().collect();
    for (name, schema) in [
        ("syscall", enumeration(names.iter().copied())),
        ("call", call(&calls)),
        ("unknown_call", unknown_call()),
        ("foreign_call", foreign_call()),
    ] {
        all.insert(name.into(), schema);
    }
    all.insert("abi".into(), enumeration(Abi::ALL.into_iter().map(Abi::name)));
    let fixed: BTreeMap<String, String> =
        FIXED.iter().chain(COMPARED).map(|&(name, schema)| (name.into(), one_line(schema))).collect();
    all.extend(fixed);
    all.insert("numbers".into(), numbers());
    all.extend(EVENTS.iter().map(|&(kind, members)| (kind.into(), event(kind, members))));
    let kinds = OBJECTS.map(|kind| when(&format!(r#""type":{{"const":"{kind}"}}"#), &reference(definition(kind))));
    let head = format!(
        r##"{{
"$schema": "https://json-schema.org/draft/2020-12/schema",
"title": "One line of stride --json, version {VERSION}",
"description": "Generated from the descriptions of the system calls by `cargo xtask docs`. See docs/json.md.",
"type": "object",
"required": ["type"],
"properties": {{"type":{}}},
"allOf": [
{}
],
"$defs": {{
"##,
        enumeration(OBJECTS.into_iter()),
        kinds.join(",\n")
    );
    let defs: Vec<String> = all.iter().map(|(name, schema)| format!("\"{name}\": {schema}")).collect();
    format!("{head}{}\n}}\n}}\n", defs.join(",\n"))
}

/// The types of objects.
const OBJECTS: [&str; 25] = [
    "trace",
    "start",
    "call",
    "library_call",
    "io_uring",
    "exec",
    "signal",
    "stopped",
    "superseded",
    "personality",
    "exit",
    "killed",
    "detach",
    "lost",
    "end",
    "finding",
    "time_spent",
    "summary",
    "summary_total",
    "diff",
    "wavering",
    "syscall",
    "object",
    "limit",
    "budget",
];

/// The numbers of findings.
fn numbers() -> String {
    let members: Vec<(String, String)> = QUANTITIES
        .iter()
        .map(|quantity| {
            let kind = if quantity.kind == QuantityKind::Mean { "number" } else { "integer" };
            let schema = format!(r#"{{"description":"{}","type":"{kind}","minimum":0}}"#, quantity.means);
            (quantity.name.into(), schema)
        })
        .collect();
    object(&members, &[])
}

/// The name of the definition of a type of objects. `syscall` alone is the name of a syscall.
fn definition(kind: &str) -> &str {
    match kind {
        "syscall" => "diff_syscall",
        "object" => "diff_object",
        kind => kind,
    }
}

/// The thread and the time, and the event's own members.
fn event(kind: &str, members: &[(&str, &str, bool)]) -> String {
    let mut all = vec![("type".into(), format!(r#"{{"const":"{kind}"}}"#))];
    let shared = [
        ("pid", r##"{"$ref":"#/$defs/id"}"##),
        ("tid", r##"{"$ref":"#/$defs/id"}"##),
        ("comm", r#"{"type":"string"}"#),
        ("comm_hex", r##"{"$ref":"#/$defs/octets"}"##),
        ("time_ns", r##"{"$ref":"#/$defs/ulong"}"##),
        ("start_ns", r##"{"$ref":"#/$defs/ulong"}"##),
    ];
    let own = members.iter().map(|&(name, schema, _)| (name, schema));
    all.extend(shared.into_iter().chain(own).map(|(name, schema)| (name.into(), schema.into())));
    let mut required = vec!["type", "tid"];
    required.extend(members.iter().filter(|member| member.2).map(|member| member.0));
    object(&all, &required)
}

/// The members that all calls have, then those of each syscall.
fn call(calls: &[String]) -> String {
    let shared = one_line(
        r##"
        "type":"object",
        "properties":{
          "type":{"const":"call"},
          "name":{"anyOf":[{"$ref":"#/$defs/syscall"},{"type":"string","pattern":"^(syscall_0x[0-9a-f]+|[a-z0-9_]+#64)$"}]},
          "pid":{"$ref":"#/$defs/id"},"tid":{"$ref":"#/$defs/id"},"comm":{"type":"string"},"comm_hex":{"$ref":"#/$defs/octets"},
          "container":{"type":"string"},
          "args":{"type":"object"},
          "registers":{"type":"array","items":{"$ref":"#/$defs/hex"},"maxItems":6},
          "outcome":{"enum":["ok","error","unfinished"]},
          "ret":true,
          "error":{"$ref":"#/$defs/error"},
          "note":{"$ref":"#/$defs/value"},
          "injected":{"description":"What --inject changed.","type":"array","items":{"enum":["result","arguments","delay","signal"]},
            "minItems":1,"uniqueItems":true},
          "data":{"$ref":"#/$defs/data"},
          "path":{"type":"string"},"path_hex":{"$ref":"#/$defs/octets"},
          "time_ns":{"$ref":"#/$defs/ulong"},"start_ns":{"$ref":"#/$defs/ulong"},"duration_ns":{"$ref":"#/$defs/ulong"},
          "waits":{"$ref":"#/$defs/waits"},
          "nr":{"$ref":"#/$defs/ulong"},"abi":{"$ref":"#/$defs/abi"},"ip":{"$ref":"#/$defs/hex"},
          "stack":{"$ref":"#/$defs/stack"},"stack_ends":{"$ref":"#/$defs/stack_ends"}
        },
        "required":["type","name","tid","outcome","time_ns","start_ns","nr","abi"],
        "additionalProperties":false,
        "oneOf":[{"required":["args"]},{"required":["registers"]}],
        "allOf":[
          {"if":{"properties":{"outcome":{"const":"ok"}}},"then":{"required":["ret"]},
           "else":{"properties":{"ret":false,"note":false}}},
          {"if":{"properties":{"outcome":{"const":"error"}}},"then":{"required":["error"]},
           "else":{"properties":{"error":false}}}
        ],
        "if":{"required":["registers"]},
        "then":{"properties":{"ret":{"$ref":"#/$defs/hex"}}},
        "else":{"allOf":[
        "##,
    );
    format!("{{{shared}{}]}}}}", calls.join(","))
}

fn unknown_call() -> String {
    let args: Vec<_> = (1..=6).map(|n| (format!("arg{n}"), reference("hex"))).collect();
    format!(r#"{{"properties":{{"args":{},"ret":{}}}}}"#, object(&args, &[]), reference("hex"))
}

/// A call of x86-64 that x32 has named (`readv#64`): its registers by the names of the arguments.
fn foreign_call() -> String {
    format!(r#"{{"properties":{{"args":{{"type":"object","additionalProperties":{}}}}}}}"#, reference("hex"))
}

/// Says which definition holds for which call.
fn calls(defs: &mut Definitions) -> Vec<String> {
    // By name and ABI: i386 has rows of its own, and some names twice.
    let mut rows: BTreeMap<&str, BTreeMap<Abi, Vec<&'static Syscall>>> = BTreeMap::new();
    for abi in Abi::ALL {
        for entry in table(abi).iter() {
            let rows = rows.entry(entry.row.name).or_default().entry(abi).or_default();
            if !rows.iter().any(|row| std::ptr::eq(*row, entry.row)) {
                rows.push(entry.row);
            }
        }
    }
    let same =
        |a: &[&Syscall], b: &[&Syscall]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| std::ptr::eq(*a, *b));
    let mut cases = vec![
        when(r#""name":{"pattern":"^syscall_0x"}"#, &reference("unknown_call")),
        when(r##""name":{"pattern":"#64$"}"##, &reference("foreign_call")),
    ];
    for (name, by_abi) in rows {
        let mut kinds: Vec<(Vec<Abi>, Vec<&'static Syscall>)> = Vec::new();
        for (abi, rows) in by_abi {
            match kinds.iter_mut().find(|(_, others)| same(others, &rows)) {
                Some((abis, _)) => abis.push(abi),
                None => kinds.push((vec![abi], rows)),
            }
        }
        let several = kinds.len() > 1;
        for (abis, rows) in kinds {
            let first = abis.first().copied().unwrap_or(Abi::NATIVE);
            let def = if several { format!("call.{name}.{}", first.name()) } else { format!("call.{name}") };
            let schema = any_of(rows.iter().map(|row| defs.row(row)).collect::<Vec<_>>());
            defs.done.push((def.clone(), schema));
            let abis = format!(r#","abi":{}"#, enumeration(abis.into_iter().map(Abi::name)));
            let condition = format!(r#""name":{{"const":"{name}"}}{}"#, if several { &abis } else { "" });
            cases.push(when(&condition, &reference(&def)));
        }
    }
    cases
}
