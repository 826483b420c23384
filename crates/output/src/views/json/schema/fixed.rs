//! Definitions that do not depend on rows.

pub const FIXED: &[(&str, &str)] = &[
    ("hex", r#"{"type":"string","pattern":"^0x(0|[1-9a-f][0-9a-f]{0,15})$"}"#),
    ("octal", r#"{"type":"string","pattern":"^0[0-7]+$"}"#),
    (
        "stack",
        r##"{"type":"array","items":{"type":"object","properties":{
        "module":{"type":"string"},"module_hex":{"$ref":"#/$defs/octets"},"build_id":{"$ref":"#/$defs/octets"},
        "offset":{"$ref":"#/$defs/hex"},"symbol":{"type":"string"},"symbol_offset":{"$ref":"#/$defs/hex"},
        "file":{"type":"string"},"line":{"$ref":"#/$defs/ulong"},
        "inlined":{"type":"array","items":{"type":"object","properties":{
        "symbol":{"type":"string"},"file":{"type":"string"},"line":{"$ref":"#/$defs/ulong"}},
        "required":["symbol"],"additionalProperties":false}}},
        "required":["offset"],"additionalProperties":false}}"##,
    ),
    ("stack_ends", r#"{"enum":["limit","unknown"]}"#),
    ("octets", r#"{"type":"string","pattern":"^([0-9a-f]{2})*$"}"#),
    ("address", r##"{"description":"NULL is null.","anyOf":[{"$ref":"#/$defs/hex"},{"type":"null"}]}"##),
    ("int", r#"{"type":"integer","minimum":-2147483648,"maximum":2147483647}"#),
    ("uint", r#"{"type":"integer","minimum":0,"maximum":4294967295}"#),
    ("long", r#"{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}"#),
    ("ulong", r#"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#),
    ("integer", r#"{"type":"integer"}"#),
    ("id", r##"{"$ref":"#/$defs/int"}"##),
    ("uid", r#"{"type":"integer","minimum":-1,"maximum":4294967295}"#),
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
        r##"{"description":"What -e read=..., -e write=... and --kvm=vcpu+ ask for.","type":"array","items":{"type":"object","properties":{
        "message":{"$ref":"#/$defs/ulong"},"buffers":{"$ref":"#/$defs/ulong"},"buffer":{"$ref":"#/$defs/ulong"},
        "len":{"$ref":"#/$defs/ulong"},"text":{"type":"string"},"text_hex":{"$ref":"#/$defs/octets"},
        "missing":{"$ref":"#/$defs/ulong"},"address":{"$ref":"#/$defs/hex"},
        "vcpu":{"$ref":"#/$defs/ulong"},"when":{"enum":["before","after"]},"state":{"$ref":"#/$defs/value"}},"additionalProperties":false}}"##,
    ),
    (
        "waits",
        r##"{"description":"Times off the CPU, in nanoseconds, during the call and before (--waits). The waker is that of the longest sleep.","type":"object","properties":{
        "in_call":{"$ref":"#/$defs/wait_times"},"before":{"$ref":"#/$defs/wait_times"},
        "sleeps":{"$ref":"#/$defs/ulong"},"longest_ns":{"$ref":"#/$defs/ulong"},"kind":{"enum":["blocked","disk","stopped"]},
        "waker":{"$ref":"#/$defs/waker"},
        "cpu_taken_by":{"$ref":"#/$defs/taker"},"cpu_taken_before":{"$ref":"#/$defs/taker"}},
        "required":["in_call","before"],"additionalProperties":false}"##,
    ),
    (
        "taker",
        r##"{"description":"The thread that had the CPU for which a thread waited longest. hidden: as for a waker.","type":"object","properties":{
        "tid":{"$ref":"#/$defs/id"},"pid":{"$ref":"#/$defs/id"},"comm":{"type":"string"},
        "comm_hex":{"$ref":"#/$defs/octets"},"hidden":{"const":true}},"additionalProperties":false}"##,
    ),
    (
        "waker",
        r##"{"description":"The thread or interrupt that ended a sleep. hidden: a thread of another process, which the user may not see.","type":"object","properties":{"tid":{"$ref":"#/$defs/id"},"pid":{"$ref":"#/$defs/id"},
        "comm":{"type":"string"},"comm_hex":{"$ref":"#/$defs/octets"},"call":{"type":"string"},"interrupt":{"enum":["timer","network","disk","device","interrupt"]},
        "device":{"type":"string"},"device_hex":{"$ref":"#/$defs/octets"},"hidden":{"const":true}},"additionalProperties":false}"##,
    ),
    (
        "wait_times",
        r##"{"type":"object","properties":{"blocked":{"$ref":"#/$defs/ulong"},"disk":{"$ref":"#/$defs/ulong"},
        "stopped":{"$ref":"#/$defs/ulong"},"runnable":{"$ref":"#/$defs/ulong"},"throttled":{"$ref":"#/$defs/ulong"}},"additionalProperties":false}"##,
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
        "time_spent",
        r##"{"description":"Where the time went, with --advise. The times of the parts add up to the total.","type":"object","properties":{"type":{"const":"time_spent"},
        "total_ns":{"$ref":"#/$defs/ulong"},"of":{"enum":["run","threads"]},"threads":{"$ref":"#/$defs/ulong"},
        "idle_threads":{"$ref":"#/$defs/ulong"},"waits_measured":{"type":"boolean"},"parts":{"type":"array","items":{"type":"object","properties":{
        "time_ns":{"$ref":"#/$defs/ulong"},"comm":{"type":"string"},"comm_hex":{"$ref":"#/$defs/octets"},"pid":{"$ref":"#/$defs/id"},
        "activity":{"enum":["computing","call","blocked","disk","stopped","runnable","throttled","other"]},
        "call":{"type":"string"},"object":{"type":"string"},"object_hex":{"$ref":"#/$defs/octets"},"waker":{"$ref":"#/$defs/waker"},
        "calls":{"$ref":"#/$defs/ulong"},"interrupted":{"$ref":"#/$defs/ulong"},
        "cpu_taken_by":{"type":"object","properties":{"comm":{"type":"string"},"comm_hex":{"$ref":"#/$defs/octets"},"pid":{"$ref":"#/$defs/id"}},
        "required":["comm"],"additionalProperties":false},"awaited_by":{"type":"array","minItems":1,"items":{"type":"object","properties":{
        "comm":{"type":"string"},"comm_hex":{"$ref":"#/$defs/octets"},"pid":{"$ref":"#/$defs/id"},
        "call":{"type":"string"},"object":{"type":"string"},"object_hex":{"$ref":"#/$defs/octets"}},
        "required":["comm","call"],"additionalProperties":false}}},
        "required":["time_ns","comm","activity"],"additionalProperties":false}}},
        "required":["type","total_ns","of","threads","idle_threads","waits_measured","parts"],"additionalProperties":false}"##,
    ),
    (
        "finding",
        r##"{"type":"object","properties":{"type":{"const":"finding"},"id":{"type":"string"},"title":{"type":"string"},
        "sentence":{"type":"string"},"numbers":{"$ref":"#/$defs/numbers"},"minor":{"type":"boolean"},"saves":{"type":"object","properties":{"calls":{"$ref":"#/$defs/ulong"},
        "of_calls":{"$ref":"#/$defs/ulong"},"time_ns":{"$ref":"#/$defs/ulong"},"work_ns":{"$ref":"#/$defs/ulong"},"how":{"type":"string"}},"additionalProperties":false},
        "evidence":{"type":"array","items":{"type":"object","properties":{"kind":{"type":"string"},"name":{"type":"string"},
        "name_hex":{"$ref":"#/$defs/octets"},"calls":{"$ref":"#/$defs/ulong"},"pid":{"$ref":"#/$defs/id"},
        "bytes":{"$ref":"#/$defs/ulong"},"time_ns":{"$ref":"#/$defs/ulong"},"line":{"$ref":"#/$defs/ulong"}},"required":["kind","name","calls"],
        "additionalProperties":false}},"callers":{"type":"array","minItems":1,"items":{"type":"object","properties":{
        "module":{"type":"string"},"module_hex":{"$ref":"#/$defs/octets"},"offset":{"$ref":"#/$defs/hex"},
        "function":{"type":"string"},"file":{"type":"string"},"line":{"$ref":"#/$defs/ulong"},
        "share":{"type":"number","minimum":0,"maximum":1}},"required":["share"],"additionalProperties":false}},
        "sampled":{"type":"object","properties":{"calls":{"$ref":"#/$defs/ulong"},"of_calls":{"$ref":"#/$defs/ulong"}},
        "required":["calls","of_calls"],"additionalProperties":false},
        "table":{"type":"array","items":{"type":"object","additionalProperties":{"type":["string","integer"]}}},
        "advice":{"type":"string"},"confidence":{"type":"string"}},
        "required":["type","id","title","sentence","numbers","saves","evidence","advice","confidence","minor"],"additionalProperties":false}"##,
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
        r##"{"description":"A row of -c, -C or --by. What calls have none of is null. With of, it counts operations of io_uring.","type":"object","properties":{
        "type":{"const":"summary"},"of":{"const":"io_uring"},"time_ns":{"$ref":"#/$defs/ulong"},"interval_ns":{"$ref":"#/$defs/ulong"},"by":{"type":"object","minProperties":1,"properties":{
        "syscall":{"type":"string"},"abi":{"$ref":"#/$defs/abi"},
        "function":{"type":"string"},"function_hex":{"$ref":"#/$defs/octets"},"operation":{"type":"string"},
        "path":{"type":["string","null"]},"path_hex":{"$ref":"#/$defs/octets"},
        "directory":{"type":["string","null"]},"directory_hex":{"$ref":"#/$defs/octets"},
        "fd":{"anyOf":[{"$ref":"#/$defs/fd"},{"enum":[null,"(others)"]}]},
        "errno":{"type":"string","pattern":"^(ok|E[A-Z0-9]+|errno [0-9]+|\\(others\\))$"},
        "pid":{"anyOf":[{"$ref":"#/$defs/id"},{"const":"(others)"}]},"tid":{"anyOf":[{"$ref":"#/$defs/id"},{"const":"(others)"}]},
        "comm":{"type":["string","null"]},"comm_hex":{"$ref":"#/$defs/octets"},
        "container":{"type":["string","null"]},"container_hex":{"$ref":"#/$defs/octets"},
        "user":{"type":["string","null"]},"user_hex":{"$ref":"#/$defs/octets"},
        "duration":{"anyOf":[{"type":"object","properties":{"min":{"$ref":"#/$defs/ulong"},"max":{"$ref":"#/$defs/ulong"}},
        "required":["min","max"],"additionalProperties":false},{"enum":[null,"(others)"]}]},
        "size":{"anyOf":[{"type":"object","properties":{"min":{"$ref":"#/$defs/ulong"},"max":{"$ref":"#/$defs/ulong"}},
        "required":["min","max"],"additionalProperties":false},{"enum":[null,"(others)"]}]},
        "peer":{"type":["string","null"]},"peer_hex":{"$ref":"#/$defs/octets"},
        "caller":{"type":"string"},"caller_hex":{"$ref":"#/$defs/octets"},
        "stack":{"type":"string"},"stack_hex":{"$ref":"#/$defs/octets"},
        "waker":{"type":["string","null"]},"waker_hex":{"$ref":"#/$defs/octets"},"cause":{"type":["string","null"]}},"additionalProperties":false},
        "calls":{"$ref":"#/$defs/ulong"},"errors":{"$ref":"#/$defs/ulong"},"bytes":{"$ref":"#/$defs/ulong"},
        "wall_ns":{"$ref":"#/$defs/times"},"cpu_ns":{"$ref":"#/$defs/times"},
        "blocked_ns":{"$ref":"#/$defs/ulong"},"runnable_ns":{"$ref":"#/$defs/ulong"}},
        "required":["type","by","calls","errors","bytes","wall_ns"],"additionalProperties":false}"##,
    ),
    (
        "summary_total",
        r##"{"type":"object","properties":{"type":{"const":"summary_total"},"of":{"const":"io_uring"},"time_ns":{"$ref":"#/$defs/ulong"},"interval_ns":{"$ref":"#/$defs/ulong"},
        "by":{"type":"array","items":{"enum":["syscall","function","operation","path","directory","fd","errno","pid","tid","comm","container","user","duration","size","peer","caller","stack","waker","cause"]}},
        "rows":{"$ref":"#/$defs/ulong"},"calls":{"$ref":"#/$defs/ulong"},"errors":{"$ref":"#/$defs/ulong"},
        "bytes":{"$ref":"#/$defs/ulong"},"wall_ns":{"$ref":"#/$defs/times"},"cpu_ns":{"$ref":"#/$defs/times"},
        "blocked_ns":{"$ref":"#/$defs/ulong"},"runnable_ns":{"$ref":"#/$defs/ulong"},
        "lost_calls":{"$ref":"#/$defs/ulong"},"lost_are_counted":{"type":"boolean"}},
        "required":["type","by","rows","calls","errors","bytes","wall_ns","lost_calls","lost_are_counted"],
        "additionalProperties":false}"##,
    ),
];

const INT: &str = r##"{"$ref":"#/$defs/int"}"##;
const SIGNAL: &str = r##"{"$ref":"#/$defs/signal_number"}"##;
const NAMED_ARGS: &str = r##"{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},
        "name_hex":{"$ref":"#/$defs/octets"},"value":{"$ref":"#/$defs/value"}},"required":["value"],"additionalProperties":false}}"##;
const OCTETS: &str = r##"{"$ref":"#/$defs/octets"}"##;

/// Members of events: the name, the schema, and whether the member is always there.
type EventMembers = &'static [(&'static str, &'static str, bool)];

pub const EVENTS: &[(&str, EventMembers)] = &[
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
            ("stack", r##"{"$ref":"#/$defs/stack"}"##, false),
            ("stack_ends", r##"{"$ref":"#/$defs/stack_ends"}"##, false),
        ],
    ),
    (
        "library_call",
        &[
            ("function", r#"{"type":"string"}"#, true),
            ("function_hex", OCTETS, false),
            ("depth", r##"{"$ref":"#/$defs/ulong"}"##, true),
            ("args", NAMED_ARGS, true),
            ("outcome", r#"{"enum":["ok","unwatched","unfinished"]}"#, true),
            ("ret", r##"{"$ref":"#/$defs/value"}"##, false),
            ("duration_ns", r##"{"$ref":"#/$defs/ulong"}"##, false),
        ],
    ),
    (
        "io_uring",
        &[
            ("operation", r#"{"type":"string"}"#, true),
            ("operation_hex", OCTETS, false),
            ("args", NAMED_ARGS, true),
            ("submitter", r#"{"enum":["io_uring_enter","sqpoll"]}"#, true),
            ("user_data", r##"{"$ref":"#/$defs/hex"}"##, true),
            ("flags", r##"{"$ref":"#/$defs/value"}"##, false),
            ("outcome", r#"{"enum":["ok","error","silent","unfinished"]}"#, true),
            ("error", r##"{"$ref":"#/$defs/error"}"##, false),
            ("ret", r##"{"$ref":"#/$defs/value"}"##, false),
            ("completion_flags", r##"{"$ref":"#/$defs/value"}"##, false),
            ("more", r#"{"type":"boolean"}"#, false),
            ("duration_ns", r##"{"$ref":"#/$defs/ulong"}"##, false),
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
