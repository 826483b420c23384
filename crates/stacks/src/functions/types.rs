//! The arguments of functions, from DWARF.

use super::typed::{CallSignature, placed};
use crate::elf::Elf;
use gimli::{
    Attribute, AttributeValue, DebuggingInformationEntry, Dwarf, EndianArcSlice, LittleEndian, Reader, SectionId, Unit,
    UnitOffset, constants as dw,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use stride_event::{LIBRARY_WORDS, Param};
use stride_syscalls::library::WordType;

type Slice = EndianArcSlice<LittleEndian>;
type Entry = DebuggingInformationEntry<Slice>;

/// Debug information beyond this size is not read.
const LARGEST: usize = 512 << 20;
/// Types that stand for other types, at most. A damaged file could have a circle.
const DEEPEST: usize = 32;
const LONGEST_NAME: usize = 256;

/// The functions that begin at these addresses.
pub fn of(elf: &Elf, separate: Option<&Elf>, addresses: &[u64]) -> HashMap<u64, CallSignature> {
    let has = |elf: &&Elf| elf.section(b".debug_info").is_some();
    let Some(elf) = Some(elf).filter(has).or_else(|| separate.filter(has)) else { return HashMap::new() };
    let mut finder = Finder { wanted: addresses.iter().copied().collect(), found: HashMap::new() };
    if let Some(dwarf) = load(elf) {
        // The functions that were found before a fault in the file are right nevertheless.
        let _ = finder.search(&dwarf);
    }
    finder.found
}

fn load(elf: &Elf) -> Option<Dwarf<Slice>> {
    let mut size = 0;
    let load = |id: SectionId| -> Result<Slice, gimli::Error> {
        let section = elf.section(id.name().as_bytes());
        let content = section.and_then(|s| elf.bytes(s, LARGEST - size)).unwrap_or_default();
        size += content.len();
        Ok(Slice::new(Arc::from(content), LittleEndian))
    };
    Dwarf::load(load).ok()
}

struct Finder {
    wanted: HashSet<u64>,
    found: HashMap<u64, CallSignature>,
}

impl Finder {
    fn search(&mut self, dwarf: &Dwarf<Slice>) -> Result<(), gimli::Error> {
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            let unit = dwarf.unit(header)?;
            let context = Context { dwarf, unit: &unit };
            let mut entries = unit.entries();
            while let Some(entry) = entries.next_dfs()? {
                if entry.tag() != dw::DW_TAG_subprogram {
                    continue;
                }
                let Some(value) = entry.attr_value(dw::DW_AT_low_pc) else { continue };
                let Some(address) = dwarf.attr_address(&unit, value)? else { continue };
                if self.wanted.contains(&address)
                    && let Ok(typed) = context.function(entry.offset())
                {
                    self.found.entry(address).or_insert(typed);
                }
            }
            if self.found.len() == self.wanted.len() {
                break;
            }
        }
        Ok(())
    }
}

struct Context<'d> {
    dwarf: &'d Dwarf<Slice>,
    unit: &'d Unit<Slice>,
}

impl Context<'_> {
    fn function(&self, at: UnitOffset) -> Result<CallSignature, gimli::Error> {
        let entry = self.unit.entry(at)?;
        let result = match self.inherited(&entry, dw::DW_AT_type)? {
            Some(AttributeValue::UnitRef(ty)) => self.word_type(ty, true)?.unwrap_or(WordType::Raw),
            Some(_) => WordType::Raw,
            None => WordType::Void,
        };
        let mut params = Vec::new();
        let mut tree = self.unit.entries_tree(Some(at))?;
        let mut children = tree.root()?.children();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            if params.len() >= LIBRARY_WORDS {
                break;
            }
            let ty = match entry.tag() {
                dw::DW_TAG_formal_parameter => match self.inherited(entry, dw::DW_AT_type)? {
                    Some(AttributeValue::UnitRef(ty)) => self.word_type(ty, false)?,
                    _ => Some(WordType::Raw),
                },
                dw::DW_TAG_unspecified_parameters => None,
                _ => continue,
            };
            match ty {
                Some(ty) => params.push(Param { name: self.name(entry)?, ty, optional: false }),
                // Nobody can tell where the next ones are: it is a struct, or any number of arguments follows.
                None => {
                    params.push(Param { name: "...".into(), ty: WordType::Unreadable, optional: false });
                    break;
                }
            }
        }
        Ok(placed(params, result))
    }

    fn name(&self, entry: &Entry) -> Result<Box<str>, gimli::Error> {
        let Some(value) = self.inherited(entry, dw::DW_AT_name)? else { return Ok("".into()) };
        let name = self.dwarf.attr_string(self.unit, value)?.to_string_lossy()?.into_owned();
        Ok(if name.len() <= LONGEST_NAME { name.into() } else { "".into() })
    }

    /// An attribute of an entry, or of the entry that it is an instance of.
    fn inherited(&self, entry: &Entry, name: gimli::DwAt) -> Result<Option<AttributeValue<Slice>>, gimli::Error> {
        let own = |entry: &Entry| entry.attr(name).map(Attribute::value);
        if let Some(value) = own(entry) {
            return Ok(Some(value));
        }
        let mut at = origin(entry);
        for _ in 0..DEEPEST {
            let Some(offset) = at else { break };
            let entry = self.unit.entry(offset)?;
            if let Some(value) = own(&entry) {
                return Ok(Some(value));
            }
            at = origin(&entry);
        }
        Ok(None)
    }

    /// The type of a word. `None`: a struct, which is not in one word.
    fn word_type(&self, mut at: UnitOffset, is_result: bool) -> Result<Option<WordType>, gimli::Error> {
        for _ in 0..DEEPEST {
            let entry = self.unit.entry(at)?;
            let ty = match entry.tag() {
                dw::DW_TAG_base_type => self.base(&entry)?,
                dw::DW_TAG_enumeration_type => {
                    let bytes = entry.attr_value(dw::DW_AT_byte_size).and_then(|size| size.udata_value());
                    WordType::Int { bytes: word_size(bytes.unwrap_or(4)), signed: true }
                }
                dw::DW_TAG_pointer_type => {
                    let text = is_result || self.points_to_const(&entry)?;
                    if text && self.points_to_char(&entry)? { WordType::Text } else { WordType::Pointer }
                }
                dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type | dw::DW_TAG_ptr_to_member_type => {
                    WordType::Pointer
                }
                dw::DW_TAG_structure_type | dw::DW_TAG_union_type | dw::DW_TAG_class_type => {
                    return Ok(is_result.then_some(WordType::Raw));
                }
                _ => match next(&entry) {
                    Some(further) => {
                        at = further;
                        continue;
                    }
                    None => WordType::Raw,
                },
            };
            return Ok(Some(ty));
        }
        Ok(Some(WordType::Raw))
    }

    fn base(&self, entry: &Entry) -> Result<WordType, gimli::Error> {
        let bytes = entry.attr_value(dw::DW_AT_byte_size).and_then(|size| size.udata_value()).unwrap_or(8);
        let encoding = match entry.attr_value(dw::DW_AT_encoding) {
            Some(AttributeValue::Encoding(encoding)) => encoding,
            _ => return Ok(WordType::Raw),
        };
        let bytes = word_size(bytes);
        Ok(match encoding {
            dw::DW_ATE_float | dw::DW_ATE_complex_float | dw::DW_ATE_decimal_float => WordType::Unreadable,
            dw::DW_ATE_boolean => WordType::Bool,
            dw::DW_ATE_signed_char if &*self.name(entry)? == "char" => WordType::Char,
            dw::DW_ATE_signed | dw::DW_ATE_signed_char => WordType::Int { bytes, signed: true },
            dw::DW_ATE_unsigned | dw::DW_ATE_unsigned_char => WordType::Int { bytes, signed: false },
            _ => WordType::Raw,
        })
    }

    /// The pointer's target, through names of types.
    fn target(&self, pointer: &Entry) -> Result<Option<(Entry, bool)>, gimli::Error> {
        let (mut at, mut is_const) = (next(pointer), false);
        for _ in 0..DEEPEST {
            let Some(offset) = at else { return Ok(None) };
            let entry = self.unit.entry(offset)?;
            match entry.tag() {
                dw::DW_TAG_const_type => is_const = true,
                dw::DW_TAG_typedef | dw::DW_TAG_volatile_type => {}
                _ => return Ok(Some((entry, is_const))),
            }
            at = next(&entry);
        }
        Ok(None)
    }

    fn points_to_const(&self, pointer: &Entry) -> Result<bool, gimli::Error> {
        Ok(self.target(pointer)?.is_some_and(|(_, is_const)| is_const))
    }

    fn points_to_char(&self, pointer: &Entry) -> Result<bool, gimli::Error> {
        let Some((target, _)) = self.target(pointer)? else { return Ok(false) };
        Ok(target.tag() == dw::DW_TAG_base_type && self.base(&target)? == WordType::Char)
    }
}

fn word_size(bytes: u64) -> u8 {
    match bytes {
        1 | 2 | 4 => bytes as u8,
        _ => 8,
    }
}

fn next(entry: &Entry) -> Option<UnitOffset> {
    reference(entry, dw::DW_AT_type)
}

fn origin(entry: &Entry) -> Option<UnitOffset> {
    reference(entry, dw::DW_AT_abstract_origin).or_else(|| reference(entry, dw::DW_AT_specification))
}

fn reference(entry: &Entry, name: gimli::DwAt) -> Option<UnitOffset> {
    match entry.attr_value(name) {
        Some(AttributeValue::UnitRef(at)) => Some(at),
        _ => None,
    }
}
