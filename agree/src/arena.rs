//! The memory of the calls: stretches of pages with a page behind each that is not there.

/// The address of the first stretch.
pub const ARENA: u64 = 0x1000_0000_0000;
/// The bytes of a stretch, with its hole.
pub const STRETCH: u64 = 1 << 15;
/// The bytes at the end of a stretch that are not mapped.
pub const HOLE: u64 = 1 << 12;

/// True unless memory in the arena ends before so many bytes from this address on.
pub fn is_there(address: u64, bytes: u64) -> bool {
    let Some(offset) = address.checked_sub(ARENA) else { return true };
    offset % STRETCH + bytes.min(STRETCH) <= STRETCH - HOLE
}

/// The stretch of one call.
#[derive(Default, Clone)]
pub struct Stretch {
    base: u64,
    used: u64,
    /// What the program has in this memory.
    pub pieces: Vec<(u64, Vec<u8>)>,
}

impl Stretch {
    /// The stretch with this number.
    pub fn new(number: u64) -> Stretch {
        Stretch { base: ARENA + number * STRETCH, used: 0, pieces: Vec::new() }
    }

    /// The address for so many bytes, behind all former ones. None if the stretch is full.
    pub fn take(&mut self, len: usize) -> Option<u64> {
        let at = self.base + self.used;
        let end = (self.used + len as u64).next_multiple_of(16);
        (end <= STRETCH - HOLE - 256).then(|| self.used = end)?;
        Some(at)
    }

    /// The address of the hole.
    pub fn hole(&self) -> u64 {
        self.base + STRETCH - HOLE
    }

    /// The bytes at this address, as they are when the call is made.
    pub fn bytes(&self, at: u64, len: u64) -> Vec<u8> {
        let there = (self.base..self.hole()).contains(&at);
        let mut bytes = vec![0; if there { len.min(self.hole() - at) as usize } else { 0 }];
        for (from, piece) in &self.pieces {
            for (i, byte) in piece.iter().enumerate() {
                let place = (from + i as u64).checked_sub(at).and_then(|place| usize::try_from(place).ok());
                if let Some(place) = place.and_then(|place| bytes.get_mut(place)) {
                    *place = *byte;
                }
            }
        }
        bytes
    }

    /// The bytes are at this address.
    pub fn put(&mut self, at: u64, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.pieces.push((at, bytes));
        }
    }
}
