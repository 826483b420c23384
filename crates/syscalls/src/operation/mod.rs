//! Operations of io_uring: io_uring_enter(2). A program submits them in a queue, and the kernel carries them out
//! without a system call for each. So they are no system calls, and have rows of their own, whose arguments are members
//! of `struct io_uring_sqe`.

mod row;
mod rows;

pub use row::{MOST_TEXTS, Operation, OperationArg};

/// The text before the name of an operation. No system call has a colon in its name.
pub const PREFIX: &str = "io_uring:";
/// The operation of an opcode. The kernel may know more of them.
pub fn operation(opcode: u8) -> Option<&'static Operation> {
    rows::OPERATIONS.get(usize::from(opcode)).filter(|row| row.opcode == opcode)
}

/// The operation of a name without prefix.
pub fn operation_named(name: &str) -> Option<&'static Operation> {
    rows::OPERATIONS.iter().find(|row| row.name == name)
}

/// All operations by opcode.
pub fn operations() -> &'static [Operation] {
    rows::OPERATIONS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::WordType;

    #[test]
    fn opcodes_are_places_in_the_list() {
        for (i, row) in operations().iter().enumerate() {
            assert_eq!(usize::from(row.opcode), i, "{}", row.name);
            for arg in row.args {
                if let WordType::Buffer(len) = arg.ty {
                    assert_eq!(row.args[usize::from(len)].name, "len", "{}", row.name);
                }
            }
        }
        for opcode in operations() {
            assert_eq!(operation_named(opcode.name).map(|row| row.opcode), Some(opcode.opcode));
        }
        assert!(operation(255).is_none());
    }

    #[test]
    fn arguments_come_from_the_entry() {
        let mut sqe = [0; 64];
        sqe[4..8].copy_from_slice(&(-100i32).to_le_bytes());
        sqe[28..32].copy_from_slice(&0x8_0000u32.to_le_bytes());
        let openat = operation_named("openat").unwrap();
        assert_eq!((openat.args[0].name, openat.args[0].of(&sqe)), ("dirfd", -100i64 as u64));
        assert_eq!((openat.args[2].name, openat.args[2].of(&sqe)), ("flags", 0x8_0000));
    }
}
