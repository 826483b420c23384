//! The constants that are ioctl requests: those whose definition goes back to `_IO` and similar macros, and the plain
//! numbers of the old families, which lie in ranges of their own.

use std::collections::{BTreeMap, BTreeSet};

/// The macros with which `asm-generic/ioctl.h` builds requests.
const BUILDERS: &[&str] = &["_IO", "_IOR", "_IOW", "_IOWR", "_IOC", "_IOR_BAD", "_IOW_BAD", "_IOWR_BAD"];

/// Requests that are plain numbers: the beginning of the names, and the range of the numbers.
const PLAIN: &[(&str, u64, u64)] = &[
    ("TC", 0x5400, 0x54ff),
    ("TIOC", 0x5400, 0x54ff),
    ("FIO", 0x5400, 0x54ff),
    ("FIO", 0x8900, 0x89ff),
    ("SIOC", 0x8900, 0x8bff),
    ("KD", 0x4b00, 0x4bff),
    ("GIO_", 0x4b00, 0x4bff),
    ("PIO_", 0x4b00, 0x4bff),
    ("VT_", 0x5600, 0x56ff),
    ("HDIO_", 0x0300, 0x03ff),
    ("CDROM", 0x5300, 0x53ff),
    ("DVD_", 0x5300, 0x53ff),
    ("LOOP_", 0x4c00, 0x4cff),
    ("KIOC", 0x4b00, 0x4bff),
    ("SG_", 0x2200, 0x22ff),
    ("SCSI_IOCTL_", 0x5300, 0x53ff),
    ("SCSI_IOCTL_", 0x0003, 0x0006),
    ("I2C_", 0x0700, 0x07ff),
    ("FBIO", 0x4600, 0x46ff),
    ("PPPIOC", 0x7400, 0x74ff),
    ("RAID_", 0x0900, 0x09ff),
    ("CIO", 0x6300, 0x63ff),
    ("CYGET", 0x4359, 0x43ff_ffff),
    ("CYSET", 0x4359, 0x43ff_ffff),
    ("CYZ", 0x4359, 0x43ff_ffff),
];

/// Requests that share a number with others only by accident, and that no program uses. They name a number that has no other name.
const NOT: &[&str] = &[
    "EXFAT_IOC_SHUTDOWN",
    "EXT4_IOC_SHUTDOWN",
    "F2FS_IOC_SHUTDOWN",
    "HDIO_DRIVE_CMD_AEB",
    "TIOCINQ",
    "DMA_BUF_SET_NAME",
    "KVM_ARM_SET_DEVICE_ADDR",
    "PPPOEIOCDFWD",
    "PPPIOCGIDLE",
];
const NOT_BEGINNING: &[&str] = &["MGSL_IOC", "SOUND_MIXER_READ_", "SOUND_MIXER_WRITE_"];

/// Numbers that each protocol or driver uses as it likes. Only the socket decides their meaning.
const PRIVATE: std::ops::RangeInclusive<u64> = 0x89e0..=0x89ff;
const PRIVATE_NAMES: &[&str] = &["SIOCPROTOPRIVATE", "SIOCDEVPRIVATE"];

/// The names of requests.
#[derive(Default)]
pub struct RequestNames {
    pub names: BTreeSet<String>,
    /// Names that only stand for a number without another name: aliases, internal names, and names that are left out for others.
    pub spare: BTreeSet<String>,
    /// The types to which their arguments lead.
    pub types: BTreeMap<String, ArgumentType>,
    /// The types of arguments that `xtask/extra/arguments.h` tells, because the numbers of these requests do not.
    pub told: BTreeMap<String, (Direction, ArgumentType)>,
    /// The directions that it tells, because the numbers of these requests have others.
    pub directions: BTreeMap<String, Direction>,
}

/// The direction of an argument, as the number of a request has it: 1 if the kernel reads it, 2 if it writes it, or both.
pub type Direction = u8;

/// The header of requests that no program finds in a header of the kernel's.
pub const INTERNAL: &str = "internal_requests.h";

/// The end of the names of macros that tell the argument of a request.
pub const TELLS: &str = "_ARGUMENT";

/// The end of the names of macros for requests whose struct has grown: both numbers have the same name.
const GROWN: &str = "_GROWN";

/// The end of the names of macros that tell the direction of a request whose number has another one.
const GOES: &str = "_GOES_TO";

/// The most types of arguments that one number may have. Beyond that they say nothing.
const MOST_TYPES: usize = 3;

/// The direction and the size in a request's number.
fn parts(value: u64) -> (Direction, u64) {
    ((value >> 30 & 3) as u8, value >> 16 & 0x3fff)
}

impl RequestNames {
    pub fn extend(&mut self, more: RequestNames) {
        self.names.extend(more.names);
        self.spare.extend(more.spare);
        for (name, ty) in more.types {
            self.types.entry(name).or_insert(ty);
        }
        self.told.extend(more.told);
        self.directions.extend(more.directions);
    }

    /// The requests that a header defines only stand for numbers without another name.
    pub fn stand_back(&mut self, header: &str) {
        for name in header.lines().filter_map(|line| line.strip_prefix("#define ")?.split([' ', '(']).next()) {
            if self.names.remove(name) {
                self.spare.insert(name.to_owned());
            }
        }
    }

    /// Moves the types that macros tell to the requests that they tell of.
    pub fn tell(&mut self, values: &mut BTreeMap<String, u64>) {
        for name in values.keys().filter(|name| name.ends_with(TELLS)).cloned().collect::<Vec<_>>() {
            let value = values.remove(&name).unwrap_or_default();
            self.names.remove(&name);
            self.spare.remove(&name);
            if let Some(ty) = self.types.remove(&name) {
                self.told.insert(name[..name.len() - TELLS.len()].to_owned(), (parts(value).0, ty));
            }
        }
        for name in values.keys().filter(|name| name.ends_with(GOES)).cloned().collect::<Vec<_>>() {
            let value = values.remove(&name).unwrap_or_default();
            self.directions.insert(name[..name.len() - GOES.len()].to_owned(), value as Direction);
        }
    }

    /// The types behind the arguments of requests, by the number. A number that stands for several requests has the types of all of them, in the order of their
    /// names.
    pub fn arguments(&self, values: &BTreeMap<String, u64>) -> BTreeMap<u32, Vec<(Direction, ArgumentType)>> {
        let mut all: BTreeMap<u32, Vec<(Direction, ArgumentType)>> = BTreeMap::new();
        for names in [&self.names, &self.spare] {
            let mut found: BTreeMap<u32, Vec<(Direction, ArgumentType)>> = BTreeMap::new();
            for name in names {
                let Some(&value) = values.get(name) else { continue };
                let (dir, size) = parts(value);
                let dir = self.directions.get(name).copied().unwrap_or(dir);
                let built = self.types.get(name).map(|ty| (dir, ty.clone()));
                // (Some requests have a wrong size in their number.)
                let built = built.filter(|(_, ty)| ty.size == size);
                let Some(argument) = self.told.get(name).cloned().or(built) else { continue };
                let types = found.entry(value as u32).or_default();
                if !types.contains(&argument) {
                    types.push(argument);
                }
            }
            for (number, types) in found {
                all.entry(number).or_insert(types);
            }
        }
        all.retain(|_, types| types.len() <= MOST_TYPES);
        all
    }

    /// The names of each number.
    pub fn by_number(&self, values: &BTreeMap<String, u64>) -> BTreeMap<u32, String> {
        let mut rows = BTreeMap::new();
        for names in [&self.names, &self.spare] {
            let mut found: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
            for name in names {
                if let Some(&value) = values.get(name) {
                    found.entry(value as u32).or_default().push(name.strip_suffix(GROWN).unwrap_or(name));
                }
            }
            for (number, names) in found {
                rows.entry(number).or_insert_with(|| names.join(" or "));
            }
        }
        rows
    }
}

/// The lines behind the headers that have the preprocessor tell the types of arguments: the builders of requests are defined anew, and all macros that use them
/// follow.
pub fn asking<'n>(requests: impl Iterator<Item = &'n String>) -> String {
    let mut text = String::new();
    for builder in BUILDERS {
        let value = match *builder {
            "_IO" => "(type, nr) STRIDE_NONE",
            "_IOC" => "(dir, type, nr, size) STRIDE_NONE",
            _ => "(type, nr, size) STRIDE_TYPE size STRIDE_END",
        };
        text += &format!("#undef {builder}\n#define {builder}{value}\n");
    }
    for name in requests {
        text += &format!("STRIDE_REQUEST \"{name}\" {name} STRIDE_NEXT\n");
    }
    text
}

/// The types of the arguments of requests, as the headers write them, from the answer of the preprocessor.
pub fn told(answer: &str) -> BTreeMap<String, String> {
    let mut types = BTreeMap::new();
    for request in answer.split("STRIDE_REQUEST").skip(1) {
        let request = request.split("STRIDE_NEXT").next().unwrap_or_default();
        let Some((name, rest)) = request.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"')) else {
            continue;
        };
        let Some((_, rest)) = rest.split_once("STRIDE_TYPE") else { continue };
        let Some((ty, _)) = rest.split_once("STRIDE_END") else { continue };
        types.insert(name.to_owned(), ty.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    types
}

/// What an argument leads to, and its size in bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ArgumentType {
    pub kind: ArgumentKind,
    pub size: u64,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ArgumentKind {
    /// A struct or union of this name.
    Struct(String),
    /// One number, or several of this size.
    Numbers {
        size: u64,
        signed: bool,
    },
    Text,
}

/// Requests that are values of enumerations, in the text that comes from the preprocessor, with the types of their arguments: Android's binder has them.
pub fn enumerated(text: &str) -> BTreeMap<String, Option<String>> {
    /// How `_IOC` moves the direction to its place.
    const DIRECTION: &str = "<< (((0 +8)+8)+14)";
    let mut found = BTreeMap::new();
    for line in text.split(',').flat_map(|part| part.lines()).filter(|line| line.contains(DIRECTION)) {
        let Some((name, value)) = line.split_once('=') else { continue };
        let name =
            name.rsplit(|c: char| c.is_whitespace() || c == '{').find(|word| !word.is_empty()).unwrap_or_default();
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        // Commands within the data of a request of the binder.
        let is_command = name.starts_with("BC_") || name.starts_with("BR_");
        if !name.is_empty() && !is_command && name.chars().all(is_name) {
            let ty = value.split_once("sizeof(").and_then(|(_, rest)| rest.split_once(')'));
            found.insert(name.to_owned(), ty.map(|(ty, _)| ty.to_owned()));
        }
    }
    found
}

/// The macros of one translation unit, as `clang -dM` lists them.
#[derive(Default)]
pub struct Macros {
    bodies: BTreeMap<String, String>,
}

impl Macros {
    pub fn parse(listing: &str) -> Macros {
        let mut bodies = BTreeMap::new();
        for line in listing.lines() {
            let Some(rest) = line.strip_prefix("#define ") else {
                continue;
            };
            let end = rest.find([' ', '(']).unwrap_or(rest.len());
            bodies.insert(rest[..end].to_string(), rest[end..].to_string());
        }
        Macros { bodies }
    }

    /// The names among `values` that are requests.
    pub fn requests(&self, values: &BTreeMap<String, u64>) -> RequestNames {
        let mut built: BTreeSet<&str> = BUILDERS.iter().copied().collect();
        // Definitions build on one another (DRM_IOWR on _IOWR), so the loop runs until it finds nothing new.
        loop {
            let before = built.len();
            for (name, body) in &self.bodies {
                if !built.contains(name.as_str()) && builds(body, &built) {
                    built.insert(name);
                }
            }
            if built.len() == before {
                break;
            }
        }
        let wanted = |name: &str, value: u64| {
            let plain =
                PLAIN.iter().any(|(prefix, low, high)| name.starts_with(prefix) && (low..=high).contains(&&value));
            let private = PRIVATE.contains(&value) && !PRIVATE_NAMES.contains(&name);
            // A subdevice has the same request as its device.
            let twin = name.contains("_SUBDEV_") && values.get(&name.replacen("_SUBDEV_", "_", 1)) == Some(&value);
            // Internal ones, and old ones for programs built long ago.
            let left_out = twin
                || name.starts_with('_')
                || NOT.contains(&name)
                || NOT_BEGINNING.iter().any(|not| name.starts_with(not));
            let is_request = (built.contains(name) || plain) && !private && value <= u64::from(u32::MAX);
            is_request.then_some(!left_out && !self.is_alias(name))
        };
        let mut requests = RequestNames::default();
        for (name, &value) in values {
            match wanted(name, value) {
                Some(true) => _ = requests.names.insert(name.clone()),
                Some(false) => _ = requests.spare.insert(name.clone()),
                None => {}
            }
        }
        requests
    }

    /// True if a name is only an alias of another name.
    fn is_alias(&self, name: &str) -> bool {
        let Some(body) = self.bodies.get(name) else {
            return false;
        };
        self.bodies.contains_key(body.trim().trim_start_matches('(').trim_end_matches(')').trim())
    }
}

/// True if a definition uses one of these macros, and does not calculate with it.
fn builds(body: &str, built: &BTreeSet<&str>) -> bool {
    // The parameters of a macro come first. Their names do not matter.
    let body = match body.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or("", |x| x.1),
        None => body,
    };
    let body = body.trim().trim_start_matches('(').trim_start();
    // A cast may come before.
    let body = body.strip_prefix("int)").or(body.strip_prefix("unsigned int)")).unwrap_or(body).trim_start();
    let end = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(body.len());
    let (first, rest) = body.split_at(end);
    let rest = rest.trim_start();
    // `_IOR('x', 1, int)` and `SIOCGARP`, but not `_IOC_SIZE(X) + 1`.
    built.contains(first) && (rest.starts_with('(') || rest.trim_end_matches(')').trim().is_empty())
}
