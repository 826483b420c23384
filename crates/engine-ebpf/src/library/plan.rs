//! Where the words of each probe are, for the kernel side.

use super::{Way, returns};
use crate::wire::{OpenStrideSkel, bytes_of, probe_plan, probe_word, record_bound, text_kind, word_kind};
use libbpf_rs::{MapCore, MapFlags};
use stride_event::{LIBRARY_TEXT, LIBRARY_WORDS, LibraryProbe, ProbedFile, ProbedWord, WordPlace};
use stride_syscalls::Abi;
use stride_syscalls::library::WordType;

/// The bounds in wire_records.h are those that Rust assumes.
const _: () = assert!(record_bound::LIBRARY_WORDS.0 as usize == LIBRARY_WORDS);
const _: () = assert!(record_bound::LIBRARY_TEXT_MAX.0 as usize == LIBRARY_TEXT);

/// Chooses the programs to load, and the sizes of maps. `text` is how much of a string is copied.
pub fn configure(open: &mut OpenStrideSkel<'_>, files: &[ProbedFile], text: usize) -> libbpf_rs::Result<()> {
    let way = Way::of_kernel();
    let mut probes = files.iter().flat_map(|file| &file.probes);
    let (both, entries) = (probes.clone().any(returns), probes.any(|probe| !returns(probe)));
    let several = way != Way::Single;
    open.progs.on_function_session.set_autoload(both && way == Way::Session);
    open.progs.on_functions.set_autoload(entries && several || both && way == Way::Multi);
    open.progs.on_function_returns.set_autoload(both && way == Way::Multi);
    open.progs.on_function.set_autoload((both || entries) && !several);
    open.progs.on_function_return.set_autoload(both && !several);
    let n: usize = files.iter().map(|file| file.probes.len()).sum();
    open.maps.probes.set_max_entries(n.max(1) as u32)?;
    open.maps.probes.set_autocreate(n > 0)?;
    open.maps.library_scratches.set_autocreate(n > 0)?;
    if let Some(rodata) = open.maps.rodata_data.as_deref_mut() {
        rodata.returns_are_calls = both && super::returns_are_calls();
        rodata.stacks_have_returns = both && rodata.take_stacks;
        rodata.library_text = text.min(LIBRARY_TEXT) as u32;
    }
    Ok(())
}

/// Tells the kernel side where words are. Probes are numbered through all files.
pub fn fill(map: &impl MapCore, files: &[ProbedFile]) -> libbpf_rs::Result<()> {
    for (i, probe) in (0u32..).zip(files.iter().flat_map(|file| &file.probes)) {
        map.update(bytes_of(&[i]), bytes_of(&[plan(probe)]), MapFlags::ANY)?;
    }
    Ok(())
}

fn plan(probe: &LibraryProbe) -> probe_plan {
    let mut plan = probe_plan { n: 0, returns: u32::from(returns(probe)), ..probe_plan::default() };
    for (to, (place, param)) in plan.words.iter_mut().zip(probe.words.iter().zip(&probe.function.params)) {
        *to = word(place, param.ty);
        plan.n += 1;
    }
    if let Some(ty) = probe.function.result {
        plan.result = word(&result_word(ty), ty);
    }
    plan
}

/// Where a function's result is.
fn result_word(ty: WordType) -> ProbedWord {
    let (bytes, signed) = ty.width();
    ProbedWord { place: WordPlace::Register(Abi::NATIVE.facts().registers.result), bytes, signed }
}

fn word(from: &ProbedWord, ty: WordType) -> probe_word {
    let (kind, reg, value) = match from.place {
        WordPlace::Constant(value) => (word_kind::WORD_CONSTANT, 0, value),
        WordPlace::Register(reg) => (word_kind::WORD_REGISTER, reg, 0),
        WordPlace::Memory(reg, value) => (word_kind::WORD_MEMORY, reg, value),
    };
    let (text, len) = match ty {
        WordType::Text | WordType::MaybeText { .. } => (text_kind::TEXT_STRING, 0),
        WordType::Buffer(len) => (text_kind::TEXT_BUFFER, len),
        _ => (text_kind::TEXT_NONE, 0),
    };
    probe_word {
        value,
        reg,
        kind: kind.0 as u8,
        size: from.bytes,
        is_signed: from.signed.into(),
        text: text.0 as u8,
        len,
        ..probe_word::default()
    }
}
