//! Asks a file of code everything that can be asked. Only tests and `fuzz/` use this.

use crate::elf::ElfData;
use crate::image::CodeImage;
use crate::unwind::cfi::UnwindRule;
use gimli::UnwindContext;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// The numbers of addresses in `text` that have a rule for unwinding, a name and a line.
pub fn examine(bytes: &[u8], text: &Range<u64>) -> (usize, usize, usize) {
    let image = CodeImage::new(b"/program", Some(ElfData::Memory(Arc::from(bytes))), &Rc::default());
    let mut context = UnwindContext::new();
    let (mut rules, mut names, mut lines) = (0, 0, 0);
    image.bias(0x7f00_0000, 0x1000);
    for address in text.clone().step_by(23).chain([0, u64::MAX, u64::MAX - 1]) {
        rules += usize::from(!matches!(image.rule(address, &mut context), UnwindRule::Unknown));
        let frame = image.frame(address, true);
        names += usize::from(frame.symbol.is_some());
        lines += usize::from(frame.source.is_some());
        image.returns_from_signal(address);
        image.preceding(address);
    }
    (rules, names, lines)
}
