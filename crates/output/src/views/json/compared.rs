//! The schema's definitions for the output of `--diff` and `--budget`.

pub const COMPARED: &[(&str, &str)] = &[
    (
        "figures",
        r##"{"description":"What calls of --diff come to.","type":"object","properties":{"calls":{"$ref":"#/$defs/ulong"},
        "errors":{"$ref":"#/$defs/ulong"},"time_ns":{"$ref":"#/$defs/ulong"},"bytes":{"$ref":"#/$defs/ulong"}},
        "required":["calls","errors","time_ns","bytes"],"additionalProperties":false}"##,
    ),
    (
        "run",
        r##"{"description":"A run of --diff as a whole.","type":"object","properties":{"calls":{"$ref":"#/$defs/ulong"},
        "errors":{"$ref":"#/$defs/ulong"},"time_ns":{"$ref":"#/$defs/ulong"},"bytes":{"$ref":"#/$defs/ulong"},
        "processes":{"$ref":"#/$defs/ulong"},"elapsed_ns":{"$ref":"#/$defs/ulong"},"lost_calls":{"$ref":"#/$defs/ulong"},
        "unseen_threads":{"$ref":"#/$defs/ulong"},"recordings":{"$ref":"#/$defs/ulong"}},
        "required":["calls","errors","time_ns","bytes","processes","elapsed_ns","lost_calls","unseen_threads","recordings"],
        "additionalProperties":false}"##,
    ),
    (
        "diff",
        r##"{"description":"The verdict of --diff.","type":"object","properties":{"type":{"const":"diff"},
        "verdict":{"type":"string"},"of_note":{"type":"boolean"},"times_comparable":{"type":"boolean"},
        "circumstances":{"type":"array","items":{"type":"string"}},"base":{"$ref":"#/$defs/run"},"this":{"$ref":"#/$defs/run"}},
        "required":["type","verdict","of_note","times_comparable","circumstances","base","this"],"additionalProperties":false}"##,
    ),
    (
        "range",
        r##"{"description":"Between which numbers of calls the recordings of a run differ.","type":"object","properties":{
        "lowest":{"$ref":"#/$defs/ulong"},"highest":{"$ref":"#/$defs/ulong"}},"required":["lowest","highest"],
        "additionalProperties":false}"##,
    ),
    (
        "wavering",
        r##"{"description":"A syscall left out by --diff because its number differs among the recordings of a run.","type":"object",
        "properties":{"type":{"const":"wavering"},"name":{"type":"string"},"base":{"$ref":"#/$defs/range"},
        "this":{"$ref":"#/$defs/range"}},"required":["type","name","base","this"],"additionalProperties":false}"##,
    ),
    ("diff_kind", r##"{"enum":["appeared","vanished","changed"]}"##),
    (
        "diff_syscall",
        r##"{"description":"A syscall that --diff found to differ.","type":"object","properties":{"type":{"const":"syscall"},
        "name":{"type":"string","pattern":"^[A-Za-z0-9_]+$"},
        "change":{"$ref":"#/$defs/diff_kind"},"of_note":{"type":"boolean"},"base":{"$ref":"#/$defs/figures"},
        "this":{"$ref":"#/$defs/figures"},"callers":{"type":"array","minItems":1,"items":{"type":"object","properties":{
        "module":{"type":"string"},"module_hex":{"$ref":"#/$defs/octets"},"function":{"type":"string"},"file":{"type":"string"},"package":{"type":"string"},
        "line":{"$ref":"#/$defs/ulong"},"base":{"$ref":"#/$defs/ulong"},"this":{"$ref":"#/$defs/ulong"}},
        "required":["function","base","this"],"additionalProperties":false}}},"required":["type","name","change","of_note","base","this"],
        "additionalProperties":false}"##,
    ),
    (
        "diff_object",
        r##"{"description":"A path, socket or pipe of which --diff found the calls to differ.","type":"object","properties":{
        "type":{"const":"object"},"name":{"type":"string"},"name_hex":{"$ref":"#/$defs/octets"},
        "change":{"$ref":"#/$defs/diff_kind"},"of_note":{"type":"boolean"},
        "syscalls":{"type":"array","items":{"type":"string"},"minItems":1},"base":{"$ref":"#/$defs/figures"},
        "this":{"$ref":"#/$defs/figures"}},"required":["type","name","change","of_note","base","this"],
        "additionalProperties":false}"##,
    ),
    (
        "limit",
        r##"{"description":"A limit of --budget.","type":"object","properties":{"type":{"const":"limit"},
        "file":{"type":"string"},"line":{"$ref":"#/$defs/ulong"},"limit":{"type":"string"},"glob":{"type":"string"},
        "result":{"enum":["kept","broken","unknown"]},"value":{"type":"number","minimum":0},"told":{"type":"string"}},
        "required":["type","file","line","limit","result"],"additionalProperties":false,
        "if":{"properties":{"result":{"const":"kept"}}},"then":{"not":{"required":["told"]}},"else":{"required":["told"]}}"##,
    ),
    (
        "budget",
        r##"{"description":"What all limits of --budget come to.","type":"object","properties":{"type":{"const":"budget"},
        "file":{"type":"string"},"limits":{"$ref":"#/$defs/ulong"},"broken":{"$ref":"#/$defs/ulong"},
        "unknown":{"$ref":"#/$defs/ulong"}},"required":["type","file","limits","broken","unknown"],
        "additionalProperties":false}"##,
    ),
];
