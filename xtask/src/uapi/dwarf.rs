//! Struct layouts and enum constants, read from the DWARF clang writes for a group of headers.

use super::consts::rejected;
use super::ioctls::{ArgumentKind, ArgumentType};
use super::members::Names;
use super::{Abi, groups, headers::Source, with_ext};
use anyhow::{Context, Result, bail};
use gimli::{AttributeValue, EndianSlice, LittleEndian};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    pub size: u64,
    pub fields: Vec<Field>,
}

/// A field, as `F` in crates/uapi.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    pub name: String,
    pub offset: u64,
    pub size: u64,
    pub count: u64,
    pub signed: bool,
    pub pointer: bool,
    pub bits: (u8, u8),
    /// The number of the member's meaning: see `members.rs`. 0 is none.
    pub meaning: u16,
    /// Until the meaning is known.
    pub origin: Option<Box<Origin>>,
}

/// Where a member is declared, and what its type tells beyond its size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    pub file: String,
    pub line: usize,
    /// The struct that declares it, and where that begins.
    pub owner: String,
    pub struct_line: usize,
    /// The values of an enumeration.
    pub values: Option<Names>,
    /// The struct that it is, or of which it is an array.
    pub element: Option<String>,
    /// The elements that it points to.
    pub pointee: Option<Pointee>,
}

/// The elements behind a pointer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Pointee {
    Struct(String),
    Number {
        size: u64,
        signed: bool,
    },
    /// Characters, or anything.
    Bytes,
}

pub struct Read {
    pub layouts: BTreeMap<String, Layout>,
    pub enums: BTreeMap<String, u64>,
    /// The enumerations with a name.
    pub enumerations: BTreeMap<String, Names>,
}

pub fn read(abi: Abi, source: &Source, group: &[String], base: &Path) -> Result<Read> {
    let types = match compiled(abi, source, &with_ext(base, "types.c"), &groups::text(group))? {
        Ok(types) => types,
        Err(log) => bail!("clang fails on {}:\n{log}", base.display()),
    };
    Ok(Read { layouts: types.layouts(), enums: types.enums(), enumerations: types.enumerations() })
}

const ARGUMENT: &str = "stride_argument_of_";

/// The types of arguments of ioctl(2), by the requests' names, for types as headers write them.
pub fn arguments(
    abi: Abi,
    source: &Source,
    group: &[String],
    base: &Path,
    written: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, ArgumentType>> {
    let head = groups::text(group);
    let mut written: Vec<_> = written.iter().collect();
    let first = head.lines().count() + 1;
    // Not all of them are types that are known here.
    for _ in 0..20 {
        let line = |(name, ty): &(&String, &String)| {
            format!("__attribute__((used)) static __typeof__({ty}) *{ARGUMENT}{name};\n")
        };
        let text = head.clone() + &written.iter().map(line).collect::<String>();
        let main = with_ext(base, "arguments.c");
        match compiled(abi, source, &main, &text)? {
            Ok(types) => return Ok(types.arguments()),
            Err(log) => {
                let rejected = rejected(&log, &main.to_string_lossy(), first, written.len());
                if rejected.is_empty() {
                    bail!("cannot tell which type clang rejects in {}:\n{log}", main.display());
                }
                let mut index = 0;
                written.retain(|_| {
                    index += 1;
                    !rejected.contains(&(index - 1))
                });
            }
        }
    }
    bail!("clang keeps rejecting types of arguments in {}", base.display())
}

/// The types of a text that clang compiles, or what clang says against the text.
fn compiled(abi: Abi, source: &Source, main: &Path, text: &str) -> Result<Result<Types, String>> {
    let work = main.parent().context("a group has a directory")?;
    let object = main.with_extension("o");
    fs::write(main, text)?;
    let output = source
        .clang(abi, work)
        .args(["-c", "-g", "-gdwarf-4", "-fno-eliminate-unused-debug-types"])
        .arg(main)
        .arg("-o")
        .arg(&object)
        .output()
        .context("cannot run clang")?;
    if !output.status.success() {
        return Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let data = fs::read(&object)?;
    let types = Types::parse(&data).with_context(|| format!("cannot read the DWARF of {}", object.display()))?;
    Ok(Ok(types))
}

/// One debugging entry, its references resolved to offsets.
#[derive(Default)]
struct Die {
    tag: u16,
    name: Option<String>,
    size: Option<u64>,
    /// Offset of the entry's type; none means void.
    ty: Option<usize>,
    location: Option<u64>,
    bit_size: Option<u64>,
    data_bit_offset: Option<u64>,
    /// In the style of DWARF 2: counted from the storage unit's most significant bit.
    bit_offset: Option<u64>,
    encoding: Option<gimli::DwAte>,
    /// Elements of one array dimension; none for a flexible one.
    count: Option<u64>,
    value: Option<Value>,
    declaration: bool,
    file: Option<u64>,
    line: Option<u64>,
    children: Vec<usize>,
}

enum Value {
    Signed(i64),
    Unsigned(u64),
}

struct Types {
    dies: HashMap<usize, Die>,
    /// Entries in the order of the file, so that results do not depend on the order of a hash map.
    order: Vec<usize>,
    /// The headers, by the numbers that entries have for them.
    files: HashMap<u64, String>,
    /// The names that typedefs give to types.
    typedefs: HashMap<usize, String>,
}

/// A field's type without typedefs and qualifiers.
struct Resolved {
    size: u64,
    signed: bool,
    pointer: bool,
    /// Offset of the struct or union, if it is one.
    members: Option<usize>,
    /// 1: not an array; 0: flexible.
    count: u64,
}

impl Types {
    fn parse(data: &[u8]) -> Result<Types> {
        let file = object::File::parse(data)?;
        let sections: HashMap<&'static str, Vec<u8>> = [".debug_info", ".debug_abbrev", ".debug_str", ".debug_line"]
            .into_iter()
            .map(|name| Ok((name, relocated(&file, name)?)))
            .collect::<Result<_>>()?;
        let dwarf = gimli::Dwarf::load(|id| {
            let bytes = sections.get(id.name()).map(Vec::as_slice).unwrap_or(&[]);
            Ok::<_, gimli::Error>(EndianSlice::new(bytes, LittleEndian))
        })?;
        let mut types =
            Types { dies: HashMap::new(), order: Vec::new(), files: HashMap::new(), typedefs: HashMap::new() };
        let mut units = dwarf.units();
        while let Some(header) = units.next()? {
            let unit = dwarf.unit(header)?;
            if let Some(program) = &unit.line_program {
                let header = program.header();
                for number in 1..=header.file_names().len() as u64 {
                    let Some(file) = header.file(number) else { continue };
                    let text =
                        |value| Ok::<_, gimli::Error>(dwarf.attr_string(&unit, value)?.to_string_lossy().into_owned());
                    let directory = file.directory(header).map(text).transpose()?.unwrap_or_default();
                    types.files.insert(
                        number,
                        Path::new(&directory).join(text(file.path_name())?).to_string_lossy().into_owned(),
                    );
                }
            }
            let mut entries = unit.entries();
            let mut depth = 0isize;
            let mut path: Vec<usize> = Vec::new();
            while let Some((delta, entry)) = entries.next_dfs()? {
                depth += delta;
                let offset = entry.offset().0;
                let die = die(&dwarf, entry)?;
                path.truncate(depth as usize);
                if let Some(parent) = path.last().and_then(|parent| types.dies.get_mut(parent)) {
                    parent.children.push(offset);
                }
                path.push(offset);
                types.dies.insert(offset, die);
                types.order.push(offset);
            }
        }
        for die in types.order.iter().map(|offset| &types.dies[offset]) {
            if let (gimli::DW_TAG_typedef, Some(target), Some(name)) = (gimli::DwTag(die.tag), die.ty, &die.name) {
                types.typedefs.entry(target).or_insert_with(|| name.clone());
            }
        }
        Ok(types)
    }

    fn resolve(&self, ty: Option<usize>) -> Resolved {
        let plain = |size, signed| Resolved { size, signed, pointer: false, members: None, count: 1 };
        let Some((offset, die)) = ty.and_then(|offset| Some((offset, self.dies.get(&offset)?))) else {
            return plain(0, false);
        };
        let size = die.size.unwrap_or(0);
        match gimli::DwTag(die.tag) {
            gimli::DW_TAG_base_type => {
                let signed = matches!(die.encoding, Some(gimli::DW_ATE_signed | gimli::DW_ATE_signed_char));
                plain(size, signed)
            }
            gimli::DW_TAG_enumeration_type => plain(size, die.ty.is_some_and(|ty| self.resolve(Some(ty)).signed)),
            // Only the size of a pointer depends on the ABI; `at` fills it in from the unit.
            gimli::DW_TAG_pointer_type => Resolved { pointer: true, ..plain(size, false) },
            gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type => {
                Resolved { members: Some(offset), ..plain(size, false) }
            }
            gimli::DW_TAG_array_type => {
                let element = self.resolve(die.ty);
                let dimensions = die.children.iter().filter_map(|child| self.dies.get(child));
                let count = dimensions.map(|dimension| dimension.count.unwrap_or(0)).product::<u64>();
                Resolved { count: count * element.count, ..element }
            }
            _ => self.resolve(die.ty), // typedef, const, volatile, restrict, atomic
        }
    }

    fn is_aggregate(die: &Die) -> bool {
        matches!(gimli::DwTag(die.tag), gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type)
    }

    fn layouts(&self) -> BTreeMap<String, Layout> {
        let mut found = BTreeMap::new();
        let pointer = self.pointer_size();
        for offset in &self.order {
            let die = &self.dies[offset];
            // Structs that are only declared have no layout.
            if let (true, Some(name), false) = (Self::is_aggregate(die), &die.name, die.declaration) {
                found.entry(name.clone()).or_insert_with(|| self.layout(die, pointer));
            }
        }
        // `typedef struct { … } name;` gets the typedef's name, unless a struct has that tag.
        for die in self.order.iter().map(|offset| &self.dies[offset]) {
            let (gimli::DW_TAG_typedef, Some(name), Some(ty)) = (gimli::DwTag(die.tag), &die.name, die.ty) else {
                continue;
            };
            let target = &self.dies[&ty];
            if Self::is_aggregate(target) && target.name.is_none() {
                found.entry(name.clone()).or_insert_with(|| self.layout(target, pointer));
            }
        }
        found
    }

    /// clang's DWARF gives pointer types no size: they have the unit's address size, which is also the size of `long`.
    fn pointer_size(&self) -> u64 {
        let long = self.dies.values().find(|die| {
            die.tag == gimli::DW_TAG_base_type.0
                && matches!(die.name.as_deref(), Some("long" | "long int" | "unsigned long" | "long unsigned int"))
        });
        long.and_then(|die| die.size).unwrap_or(8)
    }

    fn layout(&self, die: &Die, pointer: u64) -> Layout {
        let mut fields = Vec::new();
        self.flatten(die, "", 0, pointer, &mut fields);
        Layout { size: die.size.unwrap_or(0), fields }
    }

    /// Appends an aggregate's members, `prefix` before their names and `base` added to their offsets.
    fn flatten(&self, die: &Die, prefix: &str, base: u64, pointer: u64, fields: &mut Vec<Field>) {
        for member in die.children.iter().map(|child| &self.dies[child]) {
            if member.tag != gimli::DW_TAG_member.0 {
                continue;
            }
            let ty = self.resolve(member.ty);
            let size = if ty.pointer { pointer } else { ty.size };
            let (offset, bits) = place(member, size);
            let offset = base + offset;
            let inner = ty.members.map(|offset| &self.dies[&offset]);
            let Some(name) = &member.name else {
                if let Some(inner) = inner {
                    self.flatten(inner, prefix, offset, pointer, fields);
                }
                continue;
            };
            // __DECLARE_FLEX_ARRAY puts such markers before a flexible array.
            if name.starts_with("__empty") {
                continue;
            }
            let name = format!("{prefix}{name}");
            fields.push(Field {
                name: name.clone(),
                offset,
                size,
                count: ty.count,
                signed: ty.signed,
                pointer: ty.pointer,
                bits,
                meaning: 0,
                origin: self.origin(die, member, ty.members),
            });
            if let (Some(inner), 1) = (inner, ty.count) {
                self.flatten(inner, &format!("{name}."), offset, pointer, fields);
            }
        }
    }

    fn origin(&self, parent: &Die, member: &Die, inner: Option<usize>) -> Option<Box<Origin>> {
        let name = |offset: usize| self.dies[&offset].name.clone().or_else(|| self.typedef(offset));
        Some(Box::new(Origin {
            file: self.files.get(&member.file?)?.clone(),
            line: member.line? as usize,
            owner: parent.name.clone().unwrap_or_default(),
            struct_line: parent.line.unwrap_or(0) as usize,
            values: self.enumeration(member.ty),
            element: inner.and_then(name),
            pointee: self.pointee(member.ty),
        }))
    }

    fn pointee(&self, ty: Option<usize>) -> Option<Pointee> {
        let die = self.dies.get(&ty?)?;
        match gimli::DwTag(die.tag) {
            gimli::DW_TAG_pointer_type => {
                let to = self.resolve(die.ty);
                match to.members {
                    _ if to.pointer => None,
                    Some(offset) => {
                        self.dies[&offset].name.clone().or_else(|| self.typedef(offset)).map(Pointee::Struct)
                    }
                    None if to.size < 2 => Some(Pointee::Bytes),
                    None => Some(Pointee::Number { size: to.size, signed: to.signed }),
                }
            }
            gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => self.pointee(die.ty),
            _ => None,
        }
    }

    /// The values of the enumeration that a type is, by whatever name.
    fn enumeration(&self, ty: Option<usize>) -> Option<Names> {
        let die = self.dies.get(&ty?)?;
        match gimli::DwTag(die.tag) {
            gimli::DW_TAG_enumeration_type => Some(self.values(die)),
            gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => self.enumeration(die.ty),
            _ => None,
        }
    }

    fn enumerations(&self) -> BTreeMap<String, Names> {
        let mut found = BTreeMap::new();
        for die in self.order.iter().map(|offset| &self.dies[offset]) {
            let values = match gimli::DwTag(die.tag) {
                gimli::DW_TAG_enumeration_type if !die.declaration => self.values(die),
                gimli::DW_TAG_typedef => match self.enumeration(die.ty) {
                    Some(values) => values,
                    None => continue,
                },
                _ => continue,
            };
            if let Some(name) = &die.name {
                found.entry(name.clone()).or_insert(values);
            }
        }
        found
    }

    /// What the variables that stand for arguments point to.
    fn arguments(&self) -> BTreeMap<String, ArgumentType> {
        let mut found = BTreeMap::new();
        for die in self.order.iter().map(|offset| &self.dies[offset]) {
            let name = die.name.as_deref().and_then(|name| name.strip_prefix(ARGUMENT));
            let (gimli::DW_TAG_variable, Some(name)) = (gimli::DwTag(die.tag), name) else { continue };
            let pointer = die.ty.and_then(|ty| self.dies.get(&ty));
            if let Some(ty) = pointer.and_then(|pointer| self.argument(pointer.ty)) {
                found.insert(name.to_owned(), ty);
            }
        }
        found
    }

    /// None for types of other kinds: pointers, arrays of structs, and structs that are only declared.
    fn argument(&self, ty: Option<usize>) -> Option<ArgumentType> {
        let resolved = self.resolve(ty);
        let size = resolved.size * resolved.count;
        let kind = match resolved.members {
            _ if resolved.pointer || size == 0 => return None,
            Some(_) if resolved.count > 1 => return None,
            Some(offset) => ArgumentKind::Struct(self.dies[&offset].name.clone().or_else(|| self.typedef(offset))?),
            None if resolved.size == 1 && resolved.count > 1 => ArgumentKind::Text,
            None => ArgumentKind::Numbers { size: resolved.size, signed: resolved.signed },
        };
        Some(ArgumentType { kind, size })
    }

    /// The name that a typedef gives to a struct without a tag.
    fn typedef(&self, target: usize) -> Option<String> {
        self.typedefs.get(&target).cloned()
    }

    fn enums(&self) -> BTreeMap<String, u64> {
        let mut found = BTreeMap::new();
        for offset in &self.order {
            let die = &self.dies[offset];
            if die.tag != gimli::DW_TAG_enumeration_type.0 {
                continue;
            }
            for (name, value) in self.values(die) {
                found.entry(name).or_insert(value);
            }
        }
        found
    }

    /// The names and values of an enumeration.
    fn values(&self, die: &Die) -> Names {
        let signed = die.ty.is_some_and(|ty| self.resolve(Some(ty)).signed);
        let size = die.size.unwrap_or(4);
        let mut found = Vec::new();
        for child in die.children.iter().map(|child| &self.dies[child]) {
            let (Some(name), Some(value)) = (&child.name, &child.value) else {
                continue;
            };
            let value = match *value {
                Value::Signed(value) => value as u64,
                Value::Unsigned(value) => value,
            };
            let value = match (signed, size) {
                (true, 4) => i64::from(value as i32) as u64,
                (false, 4) => u64::from(value as u32),
                _ => value,
            };
            if !name.starts_with('_') {
                found.push((name.clone(), value));
            }
        }
        found
    }
}

/// The byte offset of a member within its parent, and the bits of a bit field within that byte.
fn place(member: &Die, size: u64) -> (u64, (u8, u8)) {
    let location = member.location.unwrap_or(0);
    let Some(width) = member.bit_size else {
        return (location, (0, 0));
    };
    let first = match (member.data_bit_offset, member.bit_offset) {
        (Some(bits), _) => bits + location * 8,
        (None, Some(from_top)) => location * 8 + member.size.unwrap_or(size) * 8 - from_top - width,
        (None, None) => location * 8,
    };
    (first / 8, ((first % 8) as u8, width as u8))
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

fn die(dwarf: &gimli::Dwarf<Slice<'_>>, entry: &gimli::DebuggingInformationEntry<'_, '_, Slice<'_>>) -> Result<Die> {
    let mut die = Die { tag: entry.tag().0, ..Die::default() };
    let mut attributes = entry.attrs();
    while let Some(attribute) = attributes.next()? {
        let number = attribute.udata_value();
        match attribute.name() {
            gimli::DW_AT_name => {
                let text = match attribute.value() {
                    AttributeValue::DebugStrRef(offset) => dwarf.debug_str.get_str(offset)?,
                    AttributeValue::String(text) => text,
                    other => bail!("an unexpected form of name: {other:?}"),
                };
                die.name = Some(text.to_string_lossy().into_owned());
            }
            gimli::DW_AT_byte_size => die.size = number,
            gimli::DW_AT_type => {
                if let AttributeValue::UnitRef(offset) = attribute.value() {
                    die.ty = Some(offset.0);
                }
            }
            gimli::DW_AT_data_member_location => die.location = number,
            gimli::DW_AT_bit_size => die.bit_size = number,
            gimli::DW_AT_data_bit_offset => die.data_bit_offset = number,
            gimli::DW_AT_bit_offset => die.bit_offset = number,
            gimli::DW_AT_encoding => {
                if let AttributeValue::Encoding(encoding) = attribute.value() {
                    die.encoding = Some(encoding);
                }
            }
            gimli::DW_AT_count => die.count = number,
            gimli::DW_AT_upper_bound => die.count = number.map(|last| last + 1),
            gimli::DW_AT_const_value => {
                die.value = match attribute.value() {
                    AttributeValue::Sdata(value) => Some(Value::Signed(value)),
                    AttributeValue::Udata(value) => Some(Value::Unsigned(value)),
                    _ => number.map(Value::Unsigned),
                };
            }
            gimli::DW_AT_declaration => die.declaration = true,
            gimli::DW_AT_decl_file => {
                die.file = match attribute.value() {
                    AttributeValue::FileIndex(number) => Some(number),
                    _ => number,
                }
            }
            gimli::DW_AT_decl_line => die.line = number,
            _ => {}
        }
    }
    Ok(die)
}

/// A section with its relocations applied. In an object file, references into .debug_str and similar sections are zero
/// before that.
fn relocated(file: &object::File<'_>, name: &str) -> Result<Vec<u8>> {
    let Some(section) = file.section_by_name(name) else {
        return Ok(Vec::new());
    };
    let mut bytes = section.data()?.to_vec();
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(symbol) = relocation.target() else {
            continue;
        };
        let base = file.symbol_by_index(symbol)?.address();
        let at = offset as usize;
        let width = usize::from(relocation.size()) / 8;
        let place = bytes.get_mut(at..at + width).context("a relocation lies outside its section")?;
        let mut old = [0; 8];
        old[..width].copy_from_slice(place);
        let implicit = if relocation.has_implicit_addend() { u64::from_le_bytes(old) } else { 0 };
        let value = base.wrapping_add(implicit).wrapping_add_signed(relocation.addend());
        place.copy_from_slice(&value.to_le_bytes()[..width]);
    }
    Ok(bytes)
}
