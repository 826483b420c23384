//! The JSON Schema of `--json`, made from the rows: what a row says of an argument is what the schema says of its value.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use stride_syscalls::{Abi, Arg, Irregular, Ret, Set, Struct, Syscall, Ty, When, Width, table};

use super::VERSION;
use super::call::abi_name;
use super::compared::COMPARED;
use super::value::{EXTRA, REST};

/// The schema, a definition a line.
pub fn text() -> String {
    let mut defs = Definitions::default();
    let calls = calls(&mut defs);
    let names: BTreeSet<&str> = Abi::ALL.iter().flat_map(|&abi| table(abi).iter().map(|e| e.row.name)).collect();
    let mut all: BTreeMap<String, String> = defs.done.into_iter().collect();
    for (name, schema) in
        [("syscall", enumeration(names.iter().copied())), ("call", call(&calls)), ("unknown_call", unknown_call())]
    {
        all.insert(name.into(), schema);
    }
    let fixed: BTreeMap<String, String> =
        FIXED.iter().chain(COMPARED).map(|&(name, schema)| (name.into(), one_line(schema))).collect();
    all.extend(fixed);
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
const OBJECTS: [&str; 21] = [
    "trace",
    "start",
    "call",
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
    "summary",
    "summary_total",
    "diff",
    "syscall",
    "object",
    "limit",
    "budget",
];

/// The definition of a type of objects. `syscall` by itself is the name of one.
fn definition(kind: &str) -> &str {
    match kind {
        "syscall" => "diff_syscall",
        "object" => "diff_object",
        kind => kind,
    }
}

fn one_line(schema: &str) -> String {
    schema.lines().map(str::trim).collect()
}

fn reference(name: &str) -> String {
    format!(r##"{{"$ref":"#/$defs/{name}"}}"##)
}

fn when(properties: &str, then: &str) -> String {
    format!(r#"{{"if":{{"properties":{{{properties}}}}},"then":{then}}}"#)
}

fn quoted<'s>(names: impl Iterator<Item = &'s str>) -> String {
    names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",")
}

fn enumeration<'s>(names: impl Iterator<Item = &'s str>) -> String {
    format!(r#"{{"enum":[{}]}}"#, quoted(names))
}

/// Any of these. What is any value allows all the others.
fn any_of(schemas: impl IntoIterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for schema in schemas {
        if !distinct.contains(&schema) {
            distinct.push(schema);
        }
    }
    let value = reference("value");
    match &distinct[..] {
        _ if distinct.contains(&value) => value,
        [only] => only.clone(),
        several => format!(r#"{{"anyOf":[{}]}}"#, several.join(",")),
    }
}

fn object(members: &[(String, String)], required: &[&str]) -> String {
    let members: Vec<String> = members.iter().map(|(name, schema)| format!("\"{name}\":{schema}")).collect();
    let required = match required {
        [] => String::new(),
        names => format!(r#","required":[{}]"#, quoted(names.iter().copied())),
    };
    format!(r#"{{"type":"object","properties":{{{}}}{required},"additionalProperties":false}}"#, members.join(","))
}

/// Whose it is and when it was, and what it has besides.
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

/// What is the same for all calls, then what each is.
fn call(calls: &[String]) -> String {
    let shared = one_line(
        r##"
        "type":"object",
        "properties":{
          "type":{"const":"call"},
          "name":{"anyOf":[{"$ref":"#/$defs/syscall"},{"type":"string","pattern":"^syscall_0x[0-9a-f]+$"}]},
          "pid":{"$ref":"#/$defs/id"},"tid":{"$ref":"#/$defs/id"},"comm":{"type":"string"},"comm_hex":{"$ref":"#/$defs/octets"},
          "args":{"type":"object"},
          "registers":{"type":"array","items":{"$ref":"#/$defs/hex"},"maxItems":6},
          "outcome":{"enum":["ok","error","unfinished"]},
          "ret":true,
          "error":{"$ref":"#/$defs/error"},
          "note":{"$ref":"#/$defs/value"},
          "data":{"$ref":"#/$defs/data"},
          "path":{"type":"string"},"path_hex":{"$ref":"#/$defs/octets"},
          "time_ns":{"$ref":"#/$defs/ulong"},"start_ns":{"$ref":"#/$defs/ulong"},"duration_ns":{"$ref":"#/$defs/ulong"},
          "nr":{"$ref":"#/$defs/ulong"},"abi":{"$ref":"#/$defs/abi"},"ip":{"$ref":"#/$defs/hex"}
        },
        "required":["type","name","tid","outcome","time_ns","start_ns","nr","abi"],
        "additionalProperties":false,
        "oneOf":[{"required":["args"]},{"required":["registers"]}],
        "allOf":[
          {"if":{"properties":{"outcome":{"const":"ok"}}},"then":{"required":["ret","duration_ns"]},
           "else":{"properties":{"ret":false,"note":false}}},
          {"if":{"properties":{"outcome":{"const":"error"}}},"then":{"required":["error","duration_ns"]},
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

/// Which definition holds for which call.
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
    let mut cases = vec![when(r#""name":{"pattern":"^syscall_0x"}"#, &reference("unknown_call"))];
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
            let def = if several { format!("call.{name}.{}", abi_name(first)) } else { format!("call.{name}") };
            let schema = any_of(rows.iter().map(|row| defs.row(row)).collect::<Vec<_>>());
            defs.done.push((def.clone(), schema));
            let abis = format!(r#","abi":{}"#, enumeration(abis.into_iter().map(abi_name)));
            let condition = format!(r#""name":{{"const":"{name}"}}{}"#, if several { &abis } else { "" });
            cases.push(when(&condition, &reference(&def)));
        }
    }
    cases
}

/// What a definition is of, so that it is given once.
#[derive(PartialEq, Eq, Hash)]
enum Of {
    Flags(*const Set),
    Enum(*const Set),
    Struct(*const Struct),
    /// A struct of which the program says how much there is.
    Grown(*const Struct),
}

#[derive(Default)]
struct Definitions {
    names: HashMap<Of, String>,
    taken: HashMap<String, u32>,
    done: Vec<(String, String)>,
}

impl Definitions {
    /// A reference to a definition, which is made if there is none. It has the name of what first needs it.
    fn define(&mut self, of: Of, name: String, make: impl FnOnce(&mut Self) -> String) -> String {
        if let Some(name) = self.names.get(&of) {
            return reference(name);
        }
        let count = self.taken.entry(name.clone()).or_default();
        *count += 1;
        let name = if *count > 1 { format!("{name}.{count}") } else { name };
        self.names.insert(of, name.clone());
        let schema = make(self);
        self.done.push((name.clone(), schema));
        reference(&name)
    }

    fn row(&mut self, row: &'static Syscall) -> String {
        let forms = row.forms.iter().flat_map(|forms| forms.cases).map(|form| &form.row);
        let args: Vec<String> = forms.chain([row]).map(|row| self.args(row)).collect();
        let mut rets = Vec::new();
        for row in row.forms.iter().flat_map(|forms| forms.cases).map(|form| &form.row).chain([row]) {
            self.ret(row, &row.ret, &mut rets);
        }
        // A call of which some arguments are known only when it returns lacks them if it never does.
        let whole = match (&row.forms, required(row.args)) {
            (None, names) if !names.is_empty() => format!(
                r#","if":{{"properties":{{"outcome":{{"enum":["ok","error"]}}}}}},"then":{{"properties":{{"args":{{"required":[{}]}}}}}}"#,
                quoted(names.into_iter())
            ),
            _ => String::new(),
        };
        format!(r#"{{"properties":{{"args":{},"ret":{}}}{whole}}}"#, any_of(args), any_of(rets))
    }

    fn args(&mut self, row: &'static Syscall) -> String {
        let mut members = Members::default();
        for arg in row.args {
            match arg.ty {
                Ty::Spread(s) => members.0.extend(self.members(s).0),
                Ty::Custom(Irregular::CloneReply, _) => {
                    let before = members.0.last().map_or("", |(name, _)| name);
                    members.add(&format!("{before}_after"), reference("value"));
                }
                ref ty => members.add(arg.name, self.ty(ty, &format!("{}.{}", row.name, arg.name), true)),
            }
        }
        object(&members.0, &[])
    }

    fn ret(&mut self, row: &'static Syscall, ret: &Ret, to: &mut Vec<String>) {
        to.push(match *ret {
            Ret::Int | Ret::NarrowInt => reference("long"),
            Ret::Size => reference("ulong"),
            Ret::Hex => reference("hex"),
            Ret::Octal => reference("octal"),
            Ret::Fd => reference("fd"),
            Ret::Addr => reference("hex"),
            Ret::Pid(_) => reference("pid"),
            Ret::Uid => reference("uint"),
            Ret::Flags(set) => self.flags(set, &format!("{}.ret", row.name)),
            Ret::Enum(set) => self.enumeration(set, &format!("{}.ret", row.name)),
            Ret::Never => "false".into(),
            Ret::Select(select) => {
                select.cases.iter().map(|case| &case.1).chain([&select.default]).for_each(|ret| self.ret(row, ret, to));
                return;
            }
        });
    }

    /// The value of an argument, or of a member of a struct, whose size is what its layout says.
    fn ty(&mut self, ty: &Ty, whose: &str, argument: bool) -> String {
        let pointer = |schema: String| any_of([schema, reference("address")]);
        match *ty {
            Ty::Int | Ty::UInt if argument => reference(if matches!(ty, Ty::Int) { "int" } else { "uint" }),
            Ty::Int | Ty::Long | Ty::I64 => reference("long"),
            Ty::UInt | Ty::ULong | Ty::U64 | Ty::Ticks => reference("ulong"),
            Ty::As(Width::W4, &Ty::Int) => reference("int"),
            Ty::As(Width::W1 | Width::W2 | Width::W4, &Ty::UInt) => reference("uint"),
            Ty::As(_, inner) => self.ty(inner, whose, false),
            Ty::Hex | Ty::HexLong => reference("hex"),
            Ty::Addr | Ty::Stack(_) | Ty::Buffer(..) => reference("address"),
            Ty::Fd => reference("fd_argument"),
            Ty::DirFd => reference("fd"),
            Ty::Pid(_) => reference("pid"),
            Ty::Uid | Ty::Gid => reference("uid"),
            Ty::Signal => reference("signal_number"),
            Ty::Mode => reference("mode"),
            Ty::Perm => reference("octal"),
            Ty::Dev => reference("dev"),
            Ty::Flags(set) => self.flags(set, whose),
            Ty::Enum(set) => self.enumeration(set, whose),
            Ty::ClockId => self.enumeration(&stride_syscalls::sets::time::CLOCKS, whose),
            Ty::Path | Ty::Str | Ty::Bytes(..) => pointer(reference("text")),
            Ty::CStr | Ty::Blob(_) => reference("text"),
            Ty::Ptr(_, inner) => pointer(self.ty(inner, whose, false)),
            Ty::Array(_, inner, _) | Ty::Table(_, inner, ..) => pointer(self.array(inner, whose)),
            Ty::Items(inner) => self.array(inner, whose),
            Ty::Struct(s) => self.strukt(s),
            Ty::Exchange(s) => pointer(self.strukt(s)),
            Ty::Grown(_, s, ..) => pointer(self.grown(s)),
            Ty::Turn(before, after) => {
                let (before, after) = (self.strukt(before), any_of([self.strukt(after), reference("address")]));
                let change = [("before".into(), before.clone()), ("after".into(), after)];
                pointer(any_of([before, object(&change, &["before", "after"])]))
            }
            Ty::SigSet(..) => pointer(reference("signals")),
            Ty::Select(select) => {
                let types = select.cases.iter().map(|case| &case.1).chain([&select.default]);
                any_of(types.map(|ty| self.ty(ty, whose, argument)).collect::<Vec<_>>())
            }
            Ty::Reply(inner) | Ty::NonZero(inner) => self.ty(inner, whose, argument),
            Ty::Custom(Irregular::WaitStatus, _) => reference("wait_status"),
            Ty::Custom(Irregular::PathOut | Irregular::LinkTarget | Irregular::MemfdName, _) => {
                pointer(reference("text"))
            }
            Ty::Custom(Irregular::SigMask, _) => reference("signals"),
            // These decide whether it is shown at all, or how text does it.
            Ty::Custom(
                Irregular::Reaped
                | Irregular::InFull
                | Irregular::UpToPage
                | Irregular::Untouched
                | Irregular::Remaining
                | Irregular::Numbered
                | Irregular::DatedTime,
                shape,
            ) => self.ty(shape, whose, argument),
            // What needs code to be decoded needs code to be described.
            Ty::Iovec(..) | Ty::Sockaddr(..) | Ty::Custom(..) | Ty::Spread(_) => reference("value"),
        }
    }

    fn array(&mut self, inner: &Ty, whose: &str) -> String {
        let items = any_of([self.ty(inner, whose, false), reference("rest")]);
        format!(r#"{{"type":"array","items":{items}}}"#)
    }

    fn flags(&mut self, set: &'static Set, whose: &str) -> String {
        self.define(Of::Flags(set), format!("flags.{whose}"), |_| {
            let names = enumeration(set.items.iter().map(|item| item.name));
            let number = set.number.map(|n| format!(r#"{{"type":"string","pattern":"^[0-9]+<<{}$"}}"#, n.name));
            let names = format!(r#"{{"type":"array","items":{}}}"#, any_of([names].into_iter().chain(number)));
            let members =
                [("raw".into(), reference("hex")), ("set".into(), names), ("unknown".into(), reference("hex"))];
            object(&members, &["raw", "set"])
        })
    }

    fn enumeration(&mut self, set: &'static Set, whose: &str) -> String {
        self.define(Of::Enum(set), format!("enum.{whose}"), |_| {
            let raw = reference(if set.decimal { "integer" } else { "hex" });
            let names = enumeration(set.items.iter().map(|item| item.name));
            object(&[("raw".into(), raw), ("name".into(), names)], &["raw"])
        })
    }

    fn strukt(&mut self, s: &'static Struct) -> String {
        self.define(Of::Struct(s), format!("struct.{}", s.name), |defs| {
            let mut members = defs.members(s);
            members.add(REST, reference("tail"));
            object(&members.0, &present(s))
        })
    }

    fn grown(&mut self, s: &'static Struct) -> String {
        self.define(Of::Grown(s), format!("grown.{}", s.name), |defs| {
            let mut members = defs.members(s);
            members.add(REST, reference("tail"));
            members.add(EXTRA, reference("text"));
            object(&members.0, &[])
        })
    }

    fn members(&mut self, s: &'static Struct) -> Members {
        let mut members = Members::default();
        for field in s.fields {
            members.add(field.name, self.ty(&field.ty, &format!("{}.{}", s.name, field.name), false));
        }
        members
    }
}

/// Names with their schemas. Of several with one name, only one exists at a time.
#[derive(Default)]
struct Members(Vec<(String, String)>);

impl Members {
    fn add(&mut self, name: &str, schema: String) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, other)) => *other = any_of([std::mem::take(other), schema]),
            None => self.0.push((name.into(), schema)),
        }
    }
}

/// Arguments that a call that returned has in any case.
fn required(args: &'static [Arg]) -> Vec<&'static str> {
    let always = |arg: &&Arg| matches!(arg.when, When::Always) && !matches!(arg.ty, Ty::Spread(_) | Ty::Custom(..));
    args.iter().filter(always).map(|arg| arg.name).collect()
}

/// Members that a struct has in any case.
fn present(s: &'static Struct) -> Vec<&'static str> {
    let always = s.fields.iter().filter(|field| {
        matches!(field.when, When::Always)
            && !field.verbose
            && !matches!(field.ty, Ty::Reply(_) | Ty::NonZero(_) | Ty::Custom(..))
    });
    always.map(|field| field.name).collect()
}

/// What follows from no row.
const FIXED: &[(&str, &str)] = &[
    ("hex", r#"{"type":"string","pattern":"^0x(0|[1-9a-f][0-9a-f]{0,15})$"}"#),
    ("octal", r#"{"type":"string","pattern":"^0[0-7]+$"}"#),
    ("octets", r#"{"type":"string","pattern":"^([0-9a-f]{2})*$"}"#),
    ("address", r##"{"description":"NULL is null.","anyOf":[{"$ref":"#/$defs/hex"},{"type":"null"}]}"##),
    ("int", r#"{"type":"integer","minimum":-2147483648,"maximum":2147483647}"#),
    ("uint", r#"{"type":"integer","minimum":0,"maximum":4294967295}"#),
    ("long", r#"{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}"#),
    ("ulong", r#"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#),
    ("integer", r#"{"type":"integer"}"#),
    ("id", r##"{"$ref":"#/$defs/int"}"##),
    ("uid", r#"{"type":"integer","minimum":-1,"maximum":4294967295}"#),
    ("abi", r#"{"enum":["x86_64","i386","aarch64"]}"#),
    (
        "text",
        r##"{"description":"hex has all bytes where they are no UTF-8, or no text.","type":"object",
        "properties":{"text":{"type":"string"},"hex":{"$ref":"#/$defs/octets"},"truncated":{"const":true}},
        "anyOf":[{"required":["text"]},{"required":["hex"]}],"additionalProperties":false}"##,
    ),
    (
        "fd",
        r##"{"type":"object","properties":{"fd":{"$ref":"#/$defs/int"},"name":{"const":"AT_FDCWD"},
        "path":{"type":"string"},"path_hex":{"$ref":"#/$defs/octets"},
        "socket":{"type":"string"},"socket_hex":{"$ref":"#/$defs/octets"},
        "object":{"type":"string"},"object_hex":{"$ref":"#/$defs/octets"},
        "detail":{"type":"string"},"deleted":{"const":true}},"required":["fd"],"additionalProperties":false}"##,
    ),
    (
        "fd_argument",
        r##"{"description":"AT_FDCWD where no directory is meant is but a number.",
        "anyOf":[{"$ref":"#/$defs/fd"},{"const":-100}]}"##,
    ),
    (
        "pid",
        r##"{"type":"object","properties":{"pid":{"$ref":"#/$defs/int"},"comm":{"type":"string"},
        "comm_hex":{"$ref":"#/$defs/octets"},"outer":{"$ref":"#/$defs/int"}},"required":["pid"],"additionalProperties":false}"##,
    ),
    ("signal_name", r#"{"type":"string","pattern":"^SIG([A-Z0-9]+|RT_[0-9]+)$"}"#),
    (
        "signal_number",
        r##"{"type":"object","properties":{"raw":{"$ref":"#/$defs/int"},"name":{"$ref":"#/$defs/signal_name"}},
        "required":["raw"],"additionalProperties":false}"##,
    ),
    ("signals", r##"{"type":"array","items":{"$ref":"#/$defs/signal_name"}}"##),
    (
        "mode",
        r##"{"type":"object","properties":{"raw":{"$ref":"#/$defs/octal"},
        "type":{"enum":["S_IFSOCK","S_IFLNK","S_IFREG","S_IFBLK","S_IFDIR","S_IFCHR","S_IFIFO"]},
        "set":{"type":"array","items":{"enum":["S_ISUID","S_ISGID","S_ISVTX"]}},"perm":{"$ref":"#/$defs/octal"}},
        "required":["raw","set","perm"],"additionalProperties":false}"##,
    ),
    (
        "dev",
        r##"{"type":"object","properties":{"raw":{"$ref":"#/$defs/hex"},"major":{"$ref":"#/$defs/ulong"},
        "minor":{"$ref":"#/$defs/ulong"}},"required":["raw","major","minor"],"additionalProperties":false}"##,
    ),
    (
        "wait_status",
        r##"{"type":"object","properties":{"raw":{"$ref":"#/$defs/uint"},"exited":{"$ref":"#/$defs/uint"},
        "killed":{"$ref":"#/$defs/signal_number"},"core":{"type":"boolean"},
        "stopped":{"$ref":"#/$defs/signal_number"},"continued":{"const":true}},"required":["raw"],"additionalProperties":false}"##,
    ),
    (
        "error",
        r##"{"type":"object","properties":{"errno":{"$ref":"#/$defs/uint"},"name":{"type":"string","pattern":"^E[A-Z0-9_]+$"}},
        "required":["errno"],"additionalProperties":false}"##,
    ),
    (
        "tail",
        r##"{"description":"What is left out: abbreviated (-v shows it), or from this address on it could not be read.",
        "anyOf":[{"enum":["abbreviated","unknown"]},{"$ref":"#/$defs/hex"}]}"##,
    ),
    (
        "rest",
        r##"{"description":"The last element of an array that goes on.","type":"object","properties":{"_rest":{"$ref":"#/$defs/tail"}},
        "required":["_rest"],"additionalProperties":false}"##,
    ),
    (
        "value",
        r##"{"description":"What takes code to decode. It is made of the same parts.",
        "anyOf":[{"type":["integer","string","null","boolean"]},{"type":"array","items":{"$ref":"#/$defs/value"}},
        {"type":"object","additionalProperties":{"$ref":"#/$defs/value"}}]}"##,
    ),
    (
        "data",
        r##"{"description":"What -e read=... and -e write=... ask for.","type":"array","items":{"type":"object","properties":{
        "message":{"$ref":"#/$defs/ulong"},"buffers":{"$ref":"#/$defs/ulong"},"buffer":{"$ref":"#/$defs/ulong"},
        "len":{"$ref":"#/$defs/ulong"},"text":{"type":"string"},"text_hex":{"$ref":"#/$defs/octets"},
        "missing":{"$ref":"#/$defs/ulong"},"address":{"$ref":"#/$defs/hex"}},"additionalProperties":false}}"##,
    ),
    (
        "trace",
        r##"{"type":"object","properties":{"type":{"const":"trace"},"schema":{"const":1},"version":{"type":"string"},
        "command_line":{"type":"array","items":{"$ref":"#/$defs/text"}},"host":{"type":"string"},"kernel":{"type":"string"},
        "machine":{"type":"string"},"engine":{"type":"string"},"wall_offset_ns":{"$ref":"#/$defs/long"},
        "time_ns":{"$ref":"#/$defs/ulong"},"start_ns":{"$ref":"#/$defs/ulong"}},
        "required":["type","schema","version","command_line","host","kernel","machine","engine","wall_offset_ns","time_ns","start_ns"],
        "additionalProperties":false}"##,
    ),
    (
        "finding",
        r##"{"type":"object","properties":{"type":{"const":"finding"},"id":{"type":"string"},"title":{"type":"string"},
        "sentence":{"type":"string"},"saves":{"type":"object","properties":{"calls":{"$ref":"#/$defs/ulong"},
        "of_calls":{"$ref":"#/$defs/ulong"},"time_ns":{"$ref":"#/$defs/ulong"},"how":{"type":"string"}},"additionalProperties":false},
        "evidence":{"type":"array","items":{"type":"object","properties":{"kind":{"type":"string"},"name":{"type":"string"},
        "name_hex":{"$ref":"#/$defs/octets"},"calls":{"$ref":"#/$defs/ulong"},"bytes":{"$ref":"#/$defs/ulong"},
        "time_ns":{"$ref":"#/$defs/ulong"},"line":{"$ref":"#/$defs/ulong"}},"required":["kind","name","calls"],
        "additionalProperties":false}},"table":{"type":"array","items":{"type":"object","additionalProperties":{"type":"string"}}},
        "advice":{"type":"string"},"confidence":{"type":"string"}},
        "required":["type","id","title","sentence","saves","evidence","advice","confidence"],"additionalProperties":false}"##,
    ),
    (
        "end",
        r##"{"type":"object","properties":{"type":{"const":"end"},"calls":{"$ref":"#/$defs/ulong"},
        "errors":{"$ref":"#/$defs/ulong"},"unfinished":{"$ref":"#/$defs/ulong"},"signals":{"$ref":"#/$defs/ulong"},
        "lost_calls":{"$ref":"#/$defs/ulong"},"unseen_threads":{"$ref":"#/$defs/ulong"},
        "lost_signals":{"$ref":"#/$defs/ulong"}},"required":["type","calls","errors","unfinished","signals","lost_calls",
        "unseen_threads","lost_signals"],"additionalProperties":false}"##,
    ),
    (
        "times",
        r##"{"type":"object","properties":{"total":{"$ref":"#/$defs/ulong"},"min":{"$ref":"#/$defs/ulong"},
        "max":{"$ref":"#/$defs/ulong"},"p50":{"$ref":"#/$defs/ulong"},"p99":{"$ref":"#/$defs/ulong"}},
        "required":["total","min","max"],"additionalProperties":false}"##,
    ),
    (
        "summary",
        r##"{"description":"A row of -c, -C or --by. What calls have none of is null.","type":"object","properties":{
        "type":{"const":"summary"},"by":{"type":"object","minProperties":1,"properties":{
        "syscall":{"type":"string"},"abi":{"$ref":"#/$defs/abi"},
        "path":{"type":["string","null"]},"path_hex":{"$ref":"#/$defs/octets"},
        "directory":{"type":["string","null"]},"directory_hex":{"$ref":"#/$defs/octets"},
        "fd":{"anyOf":[{"$ref":"#/$defs/fd"},{"enum":[null,"(others)"]}]},
        "errno":{"type":"string","pattern":"^(ok|E[A-Z0-9]+|errno [0-9]+|\\(others\\))$"},
        "pid":{"anyOf":[{"$ref":"#/$defs/id"},{"const":"(others)"}]},"tid":{"anyOf":[{"$ref":"#/$defs/id"},{"const":"(others)"}]},
        "comm":{"type":["string","null"]},"comm_hex":{"$ref":"#/$defs/octets"},
        "size":{"anyOf":[{"type":"object","properties":{"min":{"$ref":"#/$defs/ulong"},"max":{"$ref":"#/$defs/ulong"}},
        "required":["min","max"],"additionalProperties":false},{"enum":[null,"(others)"]}]},
        "peer":{"type":["string","null"]},"peer_hex":{"$ref":"#/$defs/octets"}},"additionalProperties":false},
        "calls":{"$ref":"#/$defs/ulong"},"errors":{"$ref":"#/$defs/ulong"},"bytes":{"$ref":"#/$defs/ulong"},
        "wall_ns":{"$ref":"#/$defs/times"},"cpu_ns":{"$ref":"#/$defs/times"}},
        "required":["type","by","calls","errors","bytes","wall_ns"],"additionalProperties":false}"##,
    ),
    (
        "summary_total",
        r##"{"type":"object","properties":{"type":{"const":"summary_total"},
        "by":{"type":"array","items":{"enum":["syscall","path","directory","fd","errno","pid","tid","comm","size","peer"]}},
        "rows":{"$ref":"#/$defs/ulong"},"calls":{"$ref":"#/$defs/ulong"},"errors":{"$ref":"#/$defs/ulong"},
        "bytes":{"$ref":"#/$defs/ulong"},"wall_ns":{"$ref":"#/$defs/times"},"cpu_ns":{"$ref":"#/$defs/times"},
        "lost_calls":{"$ref":"#/$defs/ulong"},"lost_are_counted":{"type":"boolean"}},
        "required":["type","by","rows","calls","errors","bytes","wall_ns","lost_calls","lost_are_counted"],
        "additionalProperties":false}"##,
    ),
];

const INT: &str = r##"{"$ref":"#/$defs/int"}"##;
const SIGNAL: &str = r##"{"$ref":"#/$defs/signal_number"}"##;
const OCTETS: &str = r##"{"$ref":"#/$defs/octets"}"##;

/// Members of events: their names, what they are, and whether they are always there.
type EventMembers = &'static [(&'static str, &'static str, bool)];

const EVENTS: &[(&str, EventMembers)] = &[
    ("start", &[("origin", r#"{"enum":["spawned","attached","forked"]}"#, true), ("parent", INT, false)]),
    (
        "exec",
        &[
            ("program", r#"{"type":"string"}"#, false),
            ("program_hex", OCTETS, false),
            ("command", r##"{"type":"array","items":{"$ref":"#/$defs/text"}}"##, true),
        ],
    ),
    (
        "signal",
        &[
            ("signal", SIGNAL, true),
            ("info", r##"{"$ref":"#/$defs/value"}"##, true),
            ("ip", r##"{"$ref":"#/$defs/hex"}"##, false),
        ],
    ),
    ("stopped", &[("signal", SIGNAL, true)]),
    ("superseded", &[("by", INT, true)]),
    ("personality", &[("abi", r##"{"$ref":"#/$defs/abi"}"##, true)]),
    ("exit", &[("status", INT, true)]),
    ("killed", &[("signal", SIGNAL, true), ("core", r#"{"type":"boolean"}"#, true)]),
    ("detach", &[]),
    ("lost", &[("calls", r##"{"$ref":"#/$defs/ulong"}"##, true)]),
];
