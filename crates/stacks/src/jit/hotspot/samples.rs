//! The layouts of three versions, as builds of them have them. Only tests and `fuzz/` use this.

use crate::jit::hotspot::layout::{
    BlobLayout, CacheLayout, CodeEntry, CodePlace, FileIndex, Layout, MethodLayout, NmethodLayout, TablesPlace,
};
use crate::jit::hotspot::tables::TableSymbols;
use crate::jit::hotspot::{ProcessHotSpot, Version};
use std::rc::Rc;

/// A process whose version is known.
pub fn process(layout: Layout) -> ProcessHotSpot {
    let mut process = ProcessHotSpot::new(symbols(), 0);
    process.version = Version::Known(Rc::new(layout));
    process
}

pub fn symbols() -> TableSymbols {
    TableSymbols::at([0x1000, 0x1008, 0x1010, 0x1018, 0x1020, 0x1028, 0x1030, 0x1038, 0x1040, 0x1048, 0x1050, 0x1058])
}

/// The members of 17, as a build of it has them.
pub fn of_17() -> Layout {
    Layout {
        cache: cache(),
        blob: BlobLayout { name: 96, size: 12, frame_size: 28, code: CodePlace::Addresses { begin: 32, end: 40 } },
        nmethod: NmethodLayout {
            method: 112,
            id: 304,
            original: 300,
            entry: CodeEntry::Address(224),
            given_up: [128, 136],
            tables: TablesPlace::Inside { metadata: 260, scopes: 120, places: 268, places_end: 272 },
        },
        method: method(),
        excess: 0,
    }
}

/// The same of 11.
pub fn of_11() -> Layout {
    let of_17 = of_17();
    Layout {
        nmethod: NmethodLayout {
            id: 324,
            original: 320,
            entry: CodeEntry::Address(256),
            tables: TablesPlace::Inside { metadata: 292, scopes: 120, places: 300, places_end: 304 },
            ..of_17.nmethod
        },
        method: MethodLayout { pool_size: 64, file: FileIndex::InClass(298), ..of_17.method },
        ..of_17
    }
}

/// The same of 25.
pub fn of_25() -> Layout {
    Layout {
        blob: BlobLayout { name: 8, size: 24, frame_size: 44, code: CodePlace::Offsets { begin: 36, end: 40 } },
        nmethod: NmethodLayout {
            method: 80,
            id: 212,
            original: 208,
            entry: CodeEntry::Offset(154),
            given_up: [176, 180],
            tables: TablesPlace::Apart {
                mutable: 16,
                mutable_size: 48,
                relocations: 28,
                constant: 96,
                constant_size: 160,
                places: 196,
                scopes: 200,
            },
        },
        excess: 1,
        ..of_17()
    }
}

fn cache() -> CacheLayout {
    CacheLayout {
        heaps: 0x2000,
        len: 0,
        data: 8,
        memory: 8,
        map: 120,
        log2_segment: 256,
        low: 0,
        reserved: 8,
        used: 8,
        block: 16,
    }
}

fn method() -> MethodLayout {
    MethodLayout {
        constant: 8,
        constant_size: 48,
        pool: 8,
        flags: 28,
        code_size: 32,
        name: 34,
        id: 38,
        pool_holder: 24,
        pool_len: 60,
        file: FileIndex::InPool(54),
        pool_size: 72,
        class_pool: 232,
        class_name: 24,
        symbol_len: 4,
        symbol_text: 6,
    }
}
