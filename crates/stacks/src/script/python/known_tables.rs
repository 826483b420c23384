//! The tables of debug offsets that builds of 3.14.3 and 3.15.2 have. Only tests and `fuzz/` use this.

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

/// The numbers of a build of 3.14.10 of 32 bits.
const NARROW: [(usize, u64); 41] = [
    (8, 0x30e_0af0),
    (24, 165_748),
    (40, 792),
    (48, 115_440),
    (64, 3648),
    (72, 3696),
    (80, 3704),
    (176, 700),
    (192, 4),
    (200, 8),
    (208, 52),
    (216, 92),
    (248, 44),
    (256, 4),
    (272, 28),
    (280, 40),
    (288, 38),
    (296, 32),
    (312, 132),
    (320, 80),
    (328, 84),
    (336, 88),
    (344, 92),
    (352, 44),
    (384, 128),
    (400, 8),
    (408, 4),
    (496, 100),
    (504, 12),
    (512, 20),
    (520, 16),
    (592, 20),
    (600, 8),
    (608, 16),
    (616, 32),
    (624, 16),
    (632, 8),
    (640, 20),
    (664, 80),
    (680, 36),
    (688, 35),
];

/// The numbers of Debian's build of 3.15.2.
const NUMBERS_OF_3_15: [(usize, u64); 39] = [
    (8, 0x30f_02f0),
    (24, 346_568),
    (40, 936),
    (48, 226_240),
    (64, 7264),
    (72, 7336),
    (80, 7352),
    (176, 888),
    (192, 8),
    (208, 72),
    (240, 176),
    (312, 88),
    (320, 8),
    (336, 56),
    (352, 74),
    (360, 64),
    (376, 216),
    (384, 112),
    (392, 120),
    (400, 128),
    (408, 136),
    (416, 68),
    (448, 208),
    (464, 16),
    (472, 8),
    (592, 200),
    (600, 24),
    (608, 40),
    (616, 32),
    (688, 40),
    (696, 16),
    (704, 32),
    (712, 64),
    (720, 32),
    (728, 16),
    (736, 40),
    (792, 160),
    (808, 72),
    (816, 67),
];

/// The size of the table, as far as it is read.
const SIZE: usize = 824;

/// The table of 3.14 with other numbers in some places.
pub fn table(changes: &[(usize, u64)]) -> Vec<u8> {
    with_numbers(&NUMBERS, changes)
}

/// The table of 3.15.
pub fn table_of_3_15(changes: &[(usize, u64)]) -> Vec<u8> {
    with_numbers(&NUMBERS_OF_3_15, changes)
}

/// The table of 3.14 of 32 bits.
pub fn narrow_table(changes: &[(usize, u64)]) -> Vec<u8> {
    with_numbers(&NARROW, changes)
}

fn with_numbers(numbers: &[(usize, u64)], changes: &[(usize, u64)]) -> Vec<u8> {
    let mut bytes = vec![0; SIZE];
    bytes[..8].copy_from_slice(b"xdebugpy");
    for &(at, number) in numbers.iter().chain(changes) {
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    }
    bytes
}
