//! Where a file has the pointer to Ruby's virtual machine. Since 3.3 the pointer has no name in stripped files. Functions of Ruby's interface for C tell it: they begin with
//! reading the pointer.

use crate::elf::Elf;
use crate::elf::exported::Exported;
use crate::files::bytes::u32_at;
use stride_event::CodeKind;

/// Functions that read the pointer first (`ruby/internal/gc.h`, `ruby/debug.h`), in some versions: since 3.4, the first two call another one.
const READERS: [&[u8]; 5] =
    [b"rb_gc_enable", b"rb_gc_count", b"rb_during_gc", b"rb_gc_get_objspace", b"rb_postponed_job_trigger"];
/// So many must read something first, and all of these the same.
const LEAST: usize = 3;

/// The address of the pointer, in code of x86-64 and i386.
pub fn of_readers(elf: &Elf) -> Option<u64> {
    let exported = Exported::of(elf)?;
    let told: Vec<u64> = READERS.iter().filter_map(|name| first_read(elf, exported.find(name)?.address)).collect();
    let first = *told.first()?;
    let variables = elf.section(b".bss")?;
    let is_variable = first.checked_sub(variables.address).is_some_and(|inside| inside < variables.size);
    (told.len() >= LEAST && told.iter().all(|other| *other == first) && is_variable).then_some(first)
}

/// The address that the first instruction of a function reads, or that it loads to read there.
fn first_read(elf: &Elf, function: u64) -> Option<u64> {
    match elf.code()? {
        CodeKind::X86_64 => first_read_of_64_bits(elf, function),
        CodeKind::I386 => first_read_of_32_bits(elf, function),
    }
}

fn first_read_of_64_bits(elf: &Elf, function: u64) -> Option<u64> {
    const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
    let code = elf.loaded(function, 11)?;
    let at = if code.starts_with(&ENDBR64) { ENDBR64.len() } else { 0 };
    // lea distance(%rip), %rax; mov distance(%rip), %rax
    let [0x48, 0x8d | 0x8b, 0x05, a, b, c, d] = *code.get(at..at + 7)? else { return None };
    let next = function.wrapping_add(at as u64 + 7);
    Some(next.wrapping_add_signed(i32::from_le_bytes([a, b, c, d]).into()))
}

/// Code of 32 bits has its own address from a function that returns where it returns to.
fn first_read_of_32_bits(elf: &Elf, function: u64) -> Option<u64> {
    const ENDBR32: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfb];
    // mov (%esp), %eax; ret
    const TELLS_PLACE: [u8; 4] = [0x8b, 0x04, 0x24, 0xc3];
    /// The bytes of the call, and of all three instructions.
    const CALL: u32 = 5;
    const ALL: usize = 16;
    let code = elf.loaded(function, ENDBR32.len() + ALL)?;
    let at = if code.starts_with(&ENDBR32) { ENDBR32.len() } else { 0 };
    let code = code.get(at..at + ALL)?;
    // call teller; add $distance, %eax; lea distance(%eax), %eax or mov distance(%eax), %eax
    let ([0xe8, ..], [0x05, ..], [0x8d | 0x8b, 0x80, ..]) = (&code[..5], &code[5..10], &code[10..]) else {
        return None;
    };
    let place = (function as u32).wrapping_add(at as u32).wrapping_add(CALL);
    let teller = place.wrapping_add(u32_at(code, 1)?);
    let told = place.wrapping_add(u32_at(code, 6)?).wrapping_add(u32_at(code, 12)?);
    (elf.loaded(teller.into(), TELLS_PLACE.len())? == TELLS_PLACE).then_some(told.into())
}
