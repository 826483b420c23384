//! The table of debug offsets that a build of 3.14.3 has. Only tests and `fuzz/` use this.

/// The numbers of the table, as far as it is read: pairs of a place and a number. The rest is 0.
const NUMBERS: [(usize, u64); 39] = [
    (8, 0x30e_03f0),
    (24, 316_576),
    (40, 808),
    (48, 225_824),
    (64, 7272),
    (72, 7344),
    (80, 7360),
    (176, 824),
    (192, 8),
    (208, 72),
    (216, 152),
    (248, 88),
    (256, 8),
    (272, 56),
    (288, 74),
    (296, 64),
    (312, 216),
    (320, 112),
    (328, 120),
    (336, 128),
    (344, 136),
    (352, 68),
    (384, 208),
    (400, 16),
    (408, 8),
    (496, 200),
    (504, 24),
    (512, 40),
    (520, 32),
    (592, 40),
    (600, 16),
    (608, 32),
    (616, 64),
    (624, 32),
    (632, 16),
    (640, 40),
    (664, 160),
    (680, 72),
    (688, 67),
];

/// The size of the table, as far as it is read.
const SIZE: usize = 696;

/// The table with other numbers in some places.
pub fn table(changes: &[(usize, u64)]) -> Vec<u8> {
    let mut bytes = vec![0; SIZE];
    bytes[..8].copy_from_slice(b"xdebugpy");
    for &(at, number) in NUMBERS.iter().chain(changes) {
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    }
    bytes
}
