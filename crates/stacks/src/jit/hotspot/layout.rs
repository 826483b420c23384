//! Where a version of HotSpot keeps the members of its objects.

use crate::jit::hotspot::tables::{DebuggerTables, half};
use stride_event::ThreadMemory;

/// The types of which the tables are asked.
pub const TYPES: &[&str] = &[
    "Abstract_VM_Version",
    "CodeBlob",
    "CodeCache",
    "CodeHeap",
    "CompiledMethod",
    "ConstMethod",
    "ConstantPool",
    "GenericGrowableArray",
    "GrowableArray<int>",
    "GrowableArrayBase",
    "HeapBlock",
    "HeapBlock::Header",
    "InstanceKlass",
    "Klass",
    "Method",
    "Symbol",
    "VirtualSpace",
    "nmethod",
];

#[derive(Debug)]
pub struct Layout {
    pub cache: CacheLayout,
    pub blob: BlobLayout,
    pub nmethod: NmethodLayout,
    pub method: MethodLayout,
    /// The number that is added to the bytes of compressed numbers ([`crate::jit::hotspot::stream::Stream`]).
    pub excess: u32,
}

/// The heaps of code.
#[derive(Debug)]
pub struct CacheLayout {
    /// The address of the pointer to the array of heaps.
    pub heaps: u64,
    pub len: u64,
    pub data: u64,
    /// In a heap: its memory, the map of its segments, and the logarithm of the size of a segment.
    pub memory: u64,
    pub map: u64,
    pub log2_segment: u64,
    /// In a piece of memory: its first address, and the end of what is reserved for it.
    pub low: u64,
    pub reserved: u64,
    /// In a block: whether it is in use, and its size.
    pub used: u64,
    pub block: u64,
}

/// A piece of code.
#[derive(Debug)]
pub struct BlobLayout {
    pub name: u64,
    pub size: u64,
    pub frame_size: u64,
    pub code: CodePlace,
}

/// Where code begins and ends in a piece.
#[derive(Debug)]
pub enum CodePlace {
    Addresses {
        begin: u64,
        end: u64,
    },
    /// From the beginning of the piece.
    Offsets {
        begin: u64,
        end: u64,
    },
}

/// A compiled function.
#[derive(Debug)]
pub struct NmethodLayout {
    pub method: u64,
    /// A number that tells it from others.
    pub id: u64,
    /// In its frame: the place of the address to which it returned before it was given up.
    pub original: u64,
    /// Where the function begins behind the check of its class.
    pub entry: CodeEntry,
    /// Where frames of code that was given up return to.
    pub given_up: [u64; 2],
    pub tables: TablesPlace,
}

#[derive(Debug)]
pub enum CodeEntry {
    Address(u64),
    /// From the beginning of the code.
    Offset(u64),
}

/// Where a compiled function has its tables.
#[derive(Debug)]
pub enum TablesPlace {
    /// In the piece itself, at these offsets from its beginning.
    Inside { metadata: u64, scopes: u64, places: u64, places_end: u64 },
    /// In memory of their own.
    Apart {
        mutable: u64,
        mutable_size: u64,
        relocations: u64,
        constant: u64,
        constant_size: u64,
        places: u64,
        scopes: u64,
    },
}

/// A method, and what leads to its names.
#[derive(Debug)]
pub struct MethodLayout {
    pub constant: u64,
    pub constant_size: u64,
    pub pool: u64,
    pub flags: u64,
    pub code_size: u64,
    pub name: u64,
    pub id: u64,
    pub pool_holder: u64,
    pub pool_len: u64,
    pub pool_size: u64,
    pub file: FileIndex,
    pub class_pool: u64,
    pub class_name: u64,
    pub symbol_len: u64,
    pub symbol_text: u64,
}

/// Where the name of the file of source has its index among the constants.
#[derive(Debug)]
pub enum FileIndex {
    InPool(u64),
    InClass(u64),
}

impl FileIndex {
    fn of(tables: &DebuggerTables) -> Option<FileIndex> {
        let of = |of_type: &str| tables.offset(of_type, "_source_file_name_index");
        of("ConstantPool").map(FileIndex::InPool).or_else(|| of("InstanceKlass").map(FileIndex::InClass))
    }
}

/// Why there is no layout.
#[derive(Debug, PartialEq, Eq)]
pub enum NoLayout {
    /// The version.
    Unsupported(u32),
    /// A member that should be there is missing.
    Incomplete,
}

impl Layout {
    pub fn of(tables: &DebuggerTables, memory: &mut dyn ThreadMemory) -> Result<Layout, NoLayout> {
        let version = tables.member("Abstract_VM_Version", "_vm_major_version");
        let version = version.and_then(|address| half(address, memory)).ok_or(NoLayout::Incomplete)?;
        let found = match version {
            11 | 17 => Layout::before_25(tables, "_flags", 0),
            21 => Layout::before_25(tables, "_flags._flags", 1),
            25 | 26 => Layout::since_25(tables),
            _ => return Err(NoLayout::Unsupported(version)),
        };
        found.ok_or(NoLayout::Incomplete)
    }

    fn before_25(tables: &DebuggerTables, flags: &str, excess: u32) -> Option<Layout> {
        let of = |of_type: &str, name: &str| tables.offset(of_type, name);
        Some(Layout {
            cache: CacheLayout::of(tables)?,
            blob: BlobLayout::of(
                tables,
                CodePlace::Addresses { begin: of("CodeBlob", "_code_begin")?, end: of("CodeBlob", "_code_end")? },
            )?,
            nmethod: NmethodLayout {
                method: of("CompiledMethod", "_method")?,
                id: of("nmethod", "_compile_id")?,
                original: of("nmethod", "_orig_pc_offset")?,
                entry: CodeEntry::Address(of("nmethod", "_verified_entry_point")?),
                given_up: [
                    of("CompiledMethod", "_deopt_handler_begin")?,
                    of("CompiledMethod", "_deopt_mh_handler_begin")?,
                ],
                tables: TablesPlace::Inside {
                    metadata: of("nmethod", "_metadata_offset")?,
                    scopes: of("CompiledMethod", "_scopes_data_begin")?,
                    places: of("nmethod", "_scopes_pcs_offset")?,
                    places_end: of("nmethod", "_dependencies_offset")?,
                },
            },
            method: MethodLayout::of(tables, flags)?,
            excess,
        })
    }

    fn since_25(tables: &DebuggerTables) -> Option<Layout> {
        let of = |of_type: &str, name: &str| tables.offset(of_type, name);
        // Since 26, calls of method handles have no handler of their own.
        let given_up =
            of("nmethod", "_deopt_handler_offset").or_else(|| of("nmethod", "_deopt_handler_entry_offset"))?;
        Some(Layout {
            cache: CacheLayout::of(tables)?,
            blob: BlobLayout::of(
                tables,
                CodePlace::Offsets { begin: of("CodeBlob", "_code_offset")?, end: of("CodeBlob", "_data_offset")? },
            )?,
            nmethod: NmethodLayout {
                method: of("nmethod", "_method")?,
                id: of("nmethod", "_compile_id")?,
                original: of("nmethod", "_orig_pc_offset")?,
                entry: CodeEntry::Offset(of("nmethod", "_verified_entry_offset")?),
                given_up: [given_up, of("nmethod", "_deopt_mh_handler_offset").unwrap_or(given_up)],
                tables: TablesPlace::Apart {
                    mutable: of("CodeBlob", "_mutable_data")?,
                    mutable_size: of("CodeBlob", "_mutable_data_size")?,
                    relocations: of("CodeBlob", "_relocation_size")?,
                    constant: of("nmethod", "_immutable_data")?,
                    constant_size: of("nmethod", "_immutable_data_size")?,
                    places: of("nmethod", "_scopes_pcs_offset")?,
                    scopes: of("nmethod", "_scopes_data_offset")?,
                },
            },
            method: MethodLayout::of(tables, "_flags._flags")?,
            excess: 1,
        })
    }
}

impl BlobLayout {
    fn of(tables: &DebuggerTables, code: CodePlace) -> Option<BlobLayout> {
        let of = |name: &str| tables.offset("CodeBlob", name);
        Some(BlobLayout { name: of("_name")?, size: of("_size")?, frame_size: of("_frame_size")?, code })
    }
}

impl CacheLayout {
    fn of(tables: &DebuggerTables) -> Option<CacheLayout> {
        let of = |of_type: &str, name: &str| tables.offset(of_type, name);
        Some(CacheLayout {
            heaps: tables.member("CodeCache", "_heaps")?,
            len: of("GrowableArrayBase", "_len").or_else(|| of("GenericGrowableArray", "_len"))?,
            data: of("GrowableArray<int>", "_data")?,
            memory: of("CodeHeap", "_memory")?,
            map: of("CodeHeap", "_segmap")?,
            log2_segment: of("CodeHeap", "_log2_segment_size")?,
            low: of("VirtualSpace", "_low_boundary")?,
            reserved: of("VirtualSpace", "_high_boundary")?,
            used: of("HeapBlock::Header", "_used")?,
            block: tables.size("HeapBlock")?,
        })
    }
}

impl MethodLayout {
    fn of(tables: &DebuggerTables, flags: &str) -> Option<MethodLayout> {
        let of = |of_type: &str, name: &str| tables.offset(of_type, name);
        Some(MethodLayout {
            constant: of("Method", "_constMethod")?,
            constant_size: tables.size("ConstMethod")?,
            pool: of("ConstMethod", "_constants")?,
            flags: of("ConstMethod", flags)?,
            code_size: of("ConstMethod", "_code_size")?,
            name: of("ConstMethod", "_name_index")?,
            id: of("ConstMethod", "_method_idnum")?,
            pool_holder: of("ConstantPool", "_pool_holder")?,
            pool_len: of("ConstantPool", "_length")?,
            pool_size: tables.size("ConstantPool")?,
            file: FileIndex::of(tables)?,
            class_pool: of("InstanceKlass", "_constants")?,
            class_name: of("Klass", "_name")?,
            symbol_len: of("Symbol", "_length")?,
            symbol_text: of("Symbol", "_body")?,
        })
    }
}
