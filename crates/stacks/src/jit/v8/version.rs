//! The versions of V8, and where they keep the members of their objects.
//!
//! Node exports numbers for debuggers (`v8dbg_…`): the types of objects and the offsets of most members. The few members that have no such number have the
//! same place in all releases of one version of V8.

use crate::elf::Elf;
use crate::elf::exported::Exported;
use crate::files::bytes::{string_at, u32_at};
use rustc_hash::FxHashMap;

/// The types of objects, and the offsets of their members.
#[derive(Clone, Debug)]
pub struct V8 {
    pub types: ObjectTypes,
    /// In a map: the type of the objects that have it.
    pub instance_type: u32,
    /// In a function: what all closures of it have in common.
    pub shared: u32,
    pub shared_info: SharedInfo,
    pub script: ScriptMembers,
    pub bytecode: Bytecode,
    /// In machine code: the bytecode that it was compiled from, or what leads there.
    pub code_bytecode: u32,
    /// In machine code: the table of its positions.
    pub code_positions: u32,
    /// The place of machine code's first instruction, and the number of its bytes.
    pub code_start: CodeStart,
    pub code_size: u32,
    /// In machine code: its flags, and the kind of code in them that Maglev has made, if the version tells both.
    pub code_of_maglev: Option<(u32, u32)>,
    /// The distance of the instructions from the object that has them.
    pub instructions: u64,
    pub deoptimization: Deoptimization,
    /// The index of the first name of a variable in a scope.
    pub scope_names: u32,
    /// The number of the kind of scope that a module has.
    pub module_scope: u32,
    /// The flags of a scope have the form of a small integer.
    pub is_scope_flag_small: bool,
    /// Where V8 keeps what a thread does.
    pub isolate: Option<Isolate>,
    /// The length of each bytecode, for operands of each of three widths.
    pub lengths: Option<[Box<[u8]>; 3]>,
}

/// What V8 knows of a thread (`Isolate`).
#[derive(Clone, Copy, Debug)]
pub struct Isolate {
    pub pointer: IsolatePointer,
    /// In it: the frame pointer at which the thread has left code of V8, and that for functions of C that optimised code calls.
    pub left: u32,
    pub left_quickly: u32,
}

/// Where a thread has the pointer to it.
#[derive(Clone, Copy, Debug)]
pub enum IsolatePointer {
    /// At this distance from the thread pointer.
    At(u64),
    /// Among the data that the C library keeps by keys (`pthread_key_create`). The key is at this address of the file.
    Key(u64),
}

/// The types of objects.
#[derive(Clone, Copy, Debug)]
pub struct ObjectTypes {
    pub bytecode: u16,
    pub shared_info: u16,
    pub script: u16,
    pub code: u16,
    /// What has the instructions of code.
    pub stream: u16,
    pub interpreter_data: u16,
    pub scope: u16,
    /// Arrays of bytes: tables.
    pub bytes: u16,
    /// ObjectTypes below are strings.
    pub first_non_string: u16,
}

/// The members of a `SharedFunctionInfo`.
#[derive(Clone, Copy, Debug)]
pub struct SharedInfo {
    pub data: u32,
    pub name: u32,
    pub script: u32,
    /// A number of 4 bytes that no other of its script has.
    pub number: u32,
    /// A number of 4 bytes that no other has. Older versions have none.
    pub id: Option<u32>,
}

/// The members of a `Script`.
#[derive(Clone, Copy, Debug)]
pub struct ScriptMembers {
    pub source: u32,
    pub name: u32,
    pub line_offset: u32,
    pub id: u32,
}

/// The members of a `BytecodeArray`.
#[derive(Clone, Copy, Debug)]
pub struct Bytecode {
    pub positions: u32,
    pub data: u32,
}

/// The indexes of what optimised code has for the case that V8 gives it up.
#[derive(Clone, Copy, Debug)]
pub struct Deoptimization {
    /// The objects that it uses.
    pub literals: u32,
    /// Where functions were merged into it.
    pub inlining: u32,
    /// Where the exits begin, behind its code.
    pub exits: u32,
}

/// Where the first instruction of machine code is told.
#[derive(Clone, Copy, Debug)]
pub enum CodeStart {
    /// It is in the object, at this offset.
    Inside(u32),
    /// The member at this offset has its address.
    At(u32),
}

/// The numbers that no symbol tells.
struct Untold {
    major: u32,
    minor: u32,
    positions: u32,
    code_bytecode: u32,
    code_positions: u32,
    code_start: CodeStart,
    code_size: u32,
    deoptimization: Deoptimization,
    is_scope_flag_small: bool,
    has_id: bool,
    left: u32,
    left_quickly: u32,
}

const UNTOLD: [Untold; 4] = [
    Untold {
        major: 10,
        minor: 2,
        positions: 32,
        code_bytecode: 16,
        code_positions: 24,
        code_start: CodeStart::Inside(128),
        code_size: 40,
        deoptimization: Deoptimization { literals: 2, inlining: 7, exits: 8 },
        is_scope_flag_small: true,
        has_id: false,
        left: 0x4538,
        left_quickly: 0x100,
    },
    Untold {
        major: 11,
        minor: 3,
        positions: 32,
        code_bytecode: 16,
        code_positions: 24,
        code_start: CodeStart::At(40),
        code_size: 56,
        deoptimization: Deoptimization { literals: 2, inlining: 7, exits: 8 },
        is_scope_flag_small: true,
        has_id: false,
        left: 0x180,
        left_quickly: 0xe8,
    },
    Untold {
        major: 12,
        minor: 4,
        positions: 24,
        code_bytecode: 8,
        code_positions: 16,
        code_start: CodeStart::At(40),
        code_size: 52,
        deoptimization: Deoptimization { literals: 2, inlining: 7, exits: 8 },
        is_scope_flag_small: true,
        has_id: true,
        left: 0x110,
        left_quickly: 0xf0,
    },
    Untold {
        major: 13,
        minor: 6,
        positions: 24,
        code_bytecode: 8,
        code_positions: 16,
        code_start: CodeStart::At(40),
        code_size: 56,
        deoptimization: Deoptimization { literals: 3, inlining: 8, exits: 9 },
        is_scope_flag_small: false,
        has_id: true,
        left: 0x140,
        left_quickly: 0x128,
    },
];

/// Larger tables of symbols are not believed.
const LARGEST_TABLE: usize = 256 << 20;
const SHT_SYMTAB: u32 = 2;
const SHT_DYNSYM: u32 = 11;

const PREFIX: &str = "v8dbg_";
const FIRST: &str = "v8dbg_HeapObjectTag";
const MAJOR: &str = "_ZN2v88internal7Version6major_E";
const MINOR: &str = "_ZN2v88internal7Version6minor_E";
const CURRENT: &str = "_ZN2v88internal18g_current_isolate_E";
const CURRENT_KEY: &str = "_ZN2v88internal7Isolate12isolate_key_E";
const LENGTHS: &str = "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE";

/// The addresses and sizes of the objects of a file that tell about V8.
enum Objects<'e> {
    /// They are looked up when they are asked for.
    Exported(Exported<'e>),
    All(FxHashMap<String, (u64, u64)>),
}

impl Objects<'_> {
    fn of(elf: &Elf) -> Objects<'_> {
        let has_all =
            |exported: &Exported<'_>| [FIRST, LENGTHS].iter().all(|name| exported.find(name.as_bytes()).is_some());
        Exported::of(elf).filter(has_all).map_or_else(|| Objects::All(objects(elf)), Objects::Exported)
    }

    fn get(&self, name: &str) -> Option<(u64, u64)> {
        match self {
            Objects::Exported(exported) => exported.find(name.as_bytes()).map(|symbol| (symbol.address, symbol.size)),
            Objects::All(objects) => objects.get(name).copied(),
        }
    }
}

/// All such objects, from the tables of symbols.
fn objects(elf: &Elf) -> FxHashMap<String, (u64, u64)> {
    let mut found = FxHashMap::default();
    for kind in [SHT_DYNSYM, SHT_SYMTAB] {
        let section = elf.sections.iter().find(|section| section.kind == kind);
        let table = section.and_then(|section| {
            let entries = elf.bytes(section, LARGEST_TABLE)?;
            Some((entries, elf.bytes(elf.sections.get(section.link as usize)?, LARGEST_TABLE)?))
        });
        let Some((entries, strings)) = table else { continue };
        for entry in entries.chunks_exact(elf.form.symbol).filter_map(|bytes| elf.form.symbol(bytes)) {
            let name = string_at(&strings, entry.name as usize);
            let is_wanted = name.starts_with(PREFIX.as_bytes())
                || [MAJOR, MINOR, LENGTHS, CURRENT, CURRENT_KEY].iter().any(|wanted| wanted.as_bytes() == name);
            if is_wanted && entry.section != 0 {
                found.entry(String::from_utf8_lossy(name).into()).or_insert((entry.address, entry.size));
            }
        }
        // The table of all symbols is large, and the program may have been stripped of it.
        if found.is_empty() || found.contains_key(LENGTHS) {
            break;
        }
    }
    found
}

/// V8 in a file of code, if the file has it.
///
/// If it is of a version that is not known, the text is for people: `Node with V8 9.4`.
pub fn find(elf: &Elf) -> Option<Result<V8, Box<str>>> {
    let objects = Objects::of(elf);
    // (What is 0 takes no place in the file.)
    let number_at = |at: u64| elf.loaded(at, 4).and_then(|bytes| u32_at(&bytes, 0)).unwrap_or(0);
    let number = |name: &str| objects.get(name).map(|(at, _)| number_at(at));
    let told = |name: &str| number(&format!("{PREFIX}{name}"));
    number(FIRST)?;
    let (major, minor) = (number(MAJOR)?, number(MINOR)?);
    let lengths = objects.get(LENGTHS).and_then(|(at, size)| {
        let each = usize::try_from(size / 3).ok().filter(|each| (1..=256).contains(each))?;
        let bytes = elf.loaded(at, 3 * each)?;
        Some([0, 1, 2].map(|scale| bytes[scale * each..][..each].into()))
    });
    // (Libraries may have their part of a thread's memory anywhere.)
    let at = |name: &str| objects.get(name).map(|(at, _)| at).filter(|_| elf.is_program);
    let in_thread = at(CURRENT).zip(elf.thread_memory).map(|(at, size)| IsolatePointer::At(at.wrapping_sub(size)));
    let pointer = in_thread.or_else(|| at(CURRENT_KEY).map(IsolatePointer::Key));
    let known = (elf.form.word == 8).then(|| of_numbers(major, minor, &told, pointer, lengths)).flatten();
    Some(known.ok_or_else(|| format!("Node with V8 {major}.{minor}").into()))
}

fn of_numbers(
    major: u32,
    minor: u32,
    told: &dyn Fn(&str) -> Option<u32>,
    pointer: Option<IsolatePointer>,
    lengths: Option<[Box<[u8]>; 3]>,
) -> Option<V8> {
    let untold = UNTOLD.iter().find(|untold| (untold.major, untold.minor) == (major, minor))?;
    // An offset beyond the first KiB of an object is not believed.
    let offset = |name: &str| told(&format!("class_{name}")).filter(|&offset| offset < 1024);
    let first = |names: &[&str]| names.iter().find_map(|name| offset(name));
    let number_of = |name: &str| told(name).and_then(|number| u16::try_from(number).ok());
    let kind = |name: &str| number_of(&format!("type_{name}"));
    let expected = [
        ("HeapObjectTag", 1),
        ("HeapObjectTagMask", 3),
        ("SmiShiftSize", 31),
        ("TaggedSize", 8),
        ("StringRepresentationMask", 7),
        ("StringEncodingMask", 8),
        ("off_fp_context", u32::MAX - 7),
        ("off_fp_function", u32::MAX - 15),
        ("off_fp_bytecode_array", u32::MAX - 31),
        ("off_fp_bytecode_offset", u32::MAX - 39),
    ];
    if !expected.iter().all(|(name, number)| told(name) == Some(*number)) {
        return None;
    }
    let line_ends = offset("Script__line_ends__Object")?;
    let scope = kind("ScopeInfo__SCOPE_INFO_TYPE");
    Some(V8 {
        types: ObjectTypes {
            bytecode: kind("BytecodeArray__BYTECODE_ARRAY_TYPE")?,
            shared_info: kind("SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE")?,
            script: kind("Script__SCRIPT_TYPE")?,
            code: kind("Code__CODE_TYPE")?,
            stream: kind("InstructionStream__INSTRUCTION_STREAM_TYPE").or_else(|| kind("Code__CODE_TYPE"))?,
            interpreter_data: kind("InterpreterData__INTERPRETER_DATA_TYPE")?,
            scope: scope?,
            bytes: kind("TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE").or_else(|| kind("ByteArray__BYTE_ARRAY_TYPE"))?,
            first_non_string: number_of("FirstNonstringType")?,
        },
        instance_type: offset("Map__instance_type__uint16_t")?,
        shared: offset("JSFunction__shared__SharedFunctionInfo")?,
        shared_info: SharedInfo {
            data: 8,
            name: first(&[
                "SharedFunctionInfo__name_or_scope_info__Object",
                "SharedFunctionInfo__name_or_scope_info__Tagged_Object_",
                "SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_",
            ])?,
            script: first(&[
                "SharedFunctionInfo__script_or_debug_info__HeapObject",
                "SharedFunctionInfo__script__Tagged_HeapObject_",
            ])?,
            number: offset("SharedFunctionInfo__flags__int")? + 4,
            // Behind the flags and the function's number in its script.
            id: if untold.has_id { Some(offset("SharedFunctionInfo__flags__int")? + 8) } else { None },
        },
        script: ScriptMembers {
            source: offset("Script__source__Object")?,
            name: offset("Script__name__Object")?,
            line_offset: offset("Script__name__Object")? + 8,
            id: line_ends + 8,
        },
        bytecode: Bytecode { positions: untold.positions, data: offset("BytecodeArray__data__uintptr_t")? },
        code_bytecode: untold.code_bytecode,
        code_positions: untold.code_positions,
        code_start: untold.code_start,
        code_size: untold.code_size,
        // (The kind behind that of code that is not optimised.)
        code_of_maglev: offset("Code__flags__uint32_t")
            .zip(told("CodeKindBaseline").and_then(|kind| kind.checked_add(1))),
        instructions: match untold.code_start {
            CodeStart::Inside(offset) => offset.into(),
            CodeStart::At(_) => offset("InstructionStream__instruction_start__uintptr_t")?.into(),
        },
        deoptimization: untold.deoptimization,
        scope_names: told("scopeinfo_idx_first_vars").filter(|&index| index < 16)?,
        module_scope: if untold.is_scope_flag_small { 3 } else { 5 },
        is_scope_flag_small: untold.is_scope_flag_small,
        isolate: pointer.map(|pointer| Isolate { pointer, left: untold.left, left_quickly: untold.left_quickly }),
        lengths,
    })
}

/// Node 20, with the numbers that it tells. Only tests and `fuzz/` use this.
pub fn of_20() -> Option<V8> {
    const TOLD: &[(&str, i32)] = &[
        ("HeapObjectTag", 1),
        ("HeapObjectTagMask", 3),
        ("SmiShiftSize", 31),
        ("TaggedSize", 8),
        ("StringRepresentationMask", 7),
        ("StringEncodingMask", 8),
        ("off_fp_context", -8),
        ("off_fp_function", -16),
        ("off_fp_bytecode_array", -32),
        ("off_fp_bytecode_offset", -40),
        ("class_Script__line_ends__Object", 56),
        ("type_ScopeInfo__SCOPE_INFO_TYPE", 261),
        ("type_BytecodeArray__BYTECODE_ARRAY_TYPE", 191),
        ("type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", 262),
        ("type_Script__SCRIPT_TYPE", 167),
        ("type_Code__CODE_TYPE", 245),
        ("type_InstructionStream__INSTRUCTION_STREAM_TYPE", 252),
        ("type_InterpreterData__INTERPRETER_DATA_TYPE", 159),
        ("type_ByteArray__BYTE_ARRAY_TYPE", 190),
        ("FirstNonstringType", 128),
        ("class_Map__instance_type__uint16_t", 12),
        ("class_JSFunction__shared__SharedFunctionInfo", 24),
        ("class_SharedFunctionInfo__name_or_scope_info__Object", 16),
        ("class_SharedFunctionInfo__script_or_debug_info__HeapObject", 32),
        ("class_SharedFunctionInfo__flags__int", 48),
        ("class_Script__source__Object", 8),
        ("class_Script__name__Object", 16),
        ("class_BytecodeArray__data__uintptr_t", 54),
        ("class_InstructionStream__instruction_start__uintptr_t", 16),
        ("scopeinfo_idx_first_vars", 3),
    ];
    let told = |name: &str| TOLD.iter().find(|(told, _)| *told == name).map(|&(_, number)| number as u32);
    of_numbers(11, 3, &told, Some(IsolatePointer::At(0xb0)), None)
}
