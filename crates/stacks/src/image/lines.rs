//! Source lines and inlined functions, from the DWARF of a module.

use crate::elf::Elf;
use crate::image::demangle::demangled;
use addr2line::{Context, Location};
use gimli::{Dwarf, EndianArcSlice, LittleEndian, SectionId};
use std::sync::Arc;
use stride_event::{InlinedFunction, SourceLine};

type Slice = EndianArcSlice<LittleEndian>;

/// Debug information beyond this size is not read.
const LARGEST: usize = 512 << 20;
/// No compiler inlines functions more deeply than this. Deeper nesting would overflow the stack.
const DEEPEST: isize = 500;
const MOST_INLINED: usize = 256;

pub struct DebugLines {
    context: Context<Slice>,
    tells_inlined: bool,
    size: usize,
}

impl DebugLines {
    pub fn load(elf: &Elf) -> Option<DebugLines> {
        let mut size = 0;
        let mut load = |id: SectionId| -> Result<Slice, gimli::Error> {
            let section = elf.section(id.name().as_bytes());
            let content = section.and_then(|s| elf.bytes(s, LARGEST - size)).unwrap_or_default();
            size += content.len();
            Ok(Slice::new(Arc::from(content), LittleEndian))
        };
        elf.section(b".debug_line")?;
        let dwarf = Dwarf::load(&mut load).ok()?;
        let tells_inlined = is_shallow(&dwarf).unwrap_or(false);
        Some(DebugLines { context: Context::from_dwarf(dwarf).ok()?, tells_inlined, size })
    }

    /// The number of bytes held.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The line at an address, and the functions that were inlined there.
    pub fn find(&self, address: u64) -> (Option<SourceLine>, Box<[InlinedFunction]>) {
        // Lookups add one to the address, so they cannot take the last one.
        if address == u64::MAX {
            return (None, Box::default());
        }
        if !self.tells_inlined {
            let location = self.context.find_location(address).ok().flatten();
            return (location.and_then(source), Box::default());
        }
        let Ok(mut found) = self.context.find_frames(address).skip_all_loads() else {
            return (None, Box::default());
        };
        let mut inlined = Vec::new();
        let mut last: Option<(Box<str>, Option<SourceLine>)> = None;
        while inlined.len() < MOST_INLINED
            && let Ok(Some(frame)) = found.next()
        {
            let name = frame.function.as_ref().and_then(|f| f.raw_name().ok().map(|name| demangled(name.as_bytes())));
            let source = frame.location.and_then(source);
            if let Some((name, source)) = last.replace((name.unwrap_or_default(), source)) {
                inlined.push(InlinedFunction { name, source });
            }
        }
        (last.and_then(|(_, source)| source), inlined.into())
    }
}

/// True if every unit nests its entries no deeper than [`DEEPEST`].
fn is_shallow(dwarf: &Dwarf<Slice>) -> Result<bool, gimli::Error> {
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let abbreviations = dwarf.abbreviations(&header)?;
        let mut entries = header.entries_raw(&abbreviations, None)?;
        while !entries.is_empty() {
            if entries.next_depth() > DEEPEST {
                return Ok(false);
            }
            if let Some(abbreviation) = entries.read_abbreviation()? {
                entries.skip_attributes(abbreviation.attributes())?;
            }
        }
    }
    Ok(true)
}

fn source(location: Location<'_>) -> Option<SourceLine> {
    let line = location.line.filter(|&line| line != 0)?;
    Some(SourceLine { file: location.file?.into(), line })
}
