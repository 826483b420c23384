//! The arguments of the tools. Descriptions go to the client: they are for a reader who knows Linux and not Stride.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A way to observe system calls.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum EngineWish {
    /// eBPF if the machine allows it, else ptrace.
    #[default]
    Auto,
    /// Stops the program at each call. Works everywhere, and slows the program down.
    Ptrace,
    /// Copies calls while the program runs on. Needs privileges, and knows who ended each wait.
    Ebpf,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunArguments {
    /// The program and its arguments, one string each, such as ["make", "-j2"]. No shell reads them; for a shell's syntax give ["sh", "-c", "..."].
    pub command: Vec<String>,
    /// The directory in which the command runs. Default: that of the server.
    pub cwd: Option<String>,
    /// Variables to add to the command's environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Seconds until the command and all of its processes are ended; the recording counts nevertheless. From 1 to 3600, default 60.
    pub time_limit_s: Option<u64>,
    /// How calls are observed. Default: auto.
    #[serde(default)]
    pub engine: EngineWish,
    /// Record which functions of the program lead to each call, so that findings name functions and lines. Costs time at each call. Default: true.
    pub stacks: Option<bool>,
    /// Record what threads wait for and who ends their waits. Default: true.
    pub waits: Option<bool>,
    /// Bytes recorded of each string or buffer. From 0 to 65536, default 256.
    pub string_limit: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttachArguments {
    /// The ids of the processes, with their threads and the children that they make meanwhile. Name all processes that may wait for one another.
    pub pids: Vec<u32>,
    /// Seconds to trace for. From 1 to 600, default 5.
    pub seconds: Option<u64>,
    /// How calls are observed. Default: auto.
    #[serde(default)]
    pub engine: EngineWish,
    /// Record which functions lead to each call. Default: false, because the processes are in use.
    pub stacks: Option<bool>,
    /// Record what threads wait for and who ends their waits. Default: true.
    pub waits: Option<bool>,
    /// Bytes recorded of each string or buffer. From 0 to 65536, default 256.
    pub string_limit: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordingsArguments {
    /// The path of a recording that was made with `stride --record=FILE`. It gets an id. Default: nothing is opened, and all recordings are listed.
    pub open: Option<String>,
    /// The first recording of the list. Default 0.
    pub offset: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindingsArguments {
    /// The id of a recording, such as "r1".
    pub recording: String,
    /// Also findings whose change would save hardly any time. Default: false.
    #[serde(default)]
    pub all: bool,
    /// The first finding to show. Default 0.
    pub offset: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainArguments {
    /// The id of a finding, such as "stat-storm", or the name of a system call, such as "openat".
    pub id: String,
}

/// Calls of a recording. All conditions must hold together.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct CallFilter {
    /// Expressions as strace's -e takes them: "trace=openat,read", "trace=%network", "trace=!futex", "signal=SIGCHLD", "fd=3", "status=unfinished".
    #[serde(default)]
    pub expressions: Vec<String>,
    /// A condition in the Common Expression Language, with the fields name, pid, tid, comm, exe, path, fd.kind, fd.peer, args.NAME, ret, errno (a name, or "" if the call succeeded), duration,
    /// bytes, wait: `errno == "ENOENT" && path.startsWith("/etc/")`, `name in ["fsync", "fdatasync"] || duration > duration("10ms")`.
    #[serde(rename = "where")]
    pub condition: Option<String>,
    /// Errors with which the calls failed, such as "EACCES,ENOENT"; "!EAGAIN" for any other error; "all" for all calls that failed.
    pub errno: Option<String>,
    /// The least time that the calls took, such as "10ms"; "<1ms" for less.
    pub duration: Option<String>,
    /// Paths: calls that name one of them, or use a descriptor of it.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// The form in which calls are shown.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum CallForm {
    /// strace's lines: thread, time of day in seconds since 1970, call, result, seconds in the call.
    #[default]
    Lines,
    /// An object for each call, with all arguments decoded.
    Json,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallsArguments {
    /// The id of a recording, such as "r1".
    pub recording: String,
    /// Which calls. Default: all, which is usually too many to read.
    #[serde(default)]
    pub filter: CallFilter,
    /// The first call to show, counted from 0. Default 0.
    pub offset: Option<usize>,
    /// The most calls to show, from 1 to 1000. Default 100.
    pub limit: Option<usize>,
    /// lines or json. Default: lines.
    #[serde(default)]
    pub form: CallForm,
    /// Bytes shown of each string, as far as they were recorded. Default 64.
    pub string_limit: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SummaryArguments {
    /// The id of a recording, such as "r1".
    pub recording: String,
    /// Keys by which calls are added up, one or several with commas: syscall, path, directory, fd, errno, pid, tid, comm, user, duration, size, peer, caller, stack, waker, cause. Default: syscall.
    pub by: Option<String>,
    /// Which calls count. Default: all.
    #[serde(default)]
    pub filter: CallFilter,
    /// The first row to show. Default 0.
    pub offset: Option<usize>,
}

/// The things whose time is accounted for.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum TimeOf {
    /// The run as a whole: its critical path from beginning to end.
    #[default]
    Run,
    /// Each process.
    Process,
    /// Each thread.
    Thread,
    /// The requests that servers among the traced processes answered.
    Request,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeArguments {
    /// The id of a recording, such as "r1".
    pub recording: String,
    /// run, process, thread or request. Default: run.
    #[serde(default)]
    pub of: TimeOf,
    /// The first part to show. Default 0.
    pub offset: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SqlArguments {
    /// The id of a recording, such as "r1".
    pub recording: String,
    /// One SELECT statement in DuckDB's SQL.
    pub sql: String,
    /// The most rows to return, from 1 to 1000. Default 100.
    pub rows: Option<usize>,
    /// Seconds until the question is given up. From 1 to 300, default 30.
    pub time_limit_s: Option<u64>,
}
