use super::instruction::*;
use super::*;

const SETTINGS: i32 = 7;

fn constants() -> Constants {
    // A false, a true, padding, and the number 300 at byte 4.
    Constants { map: SETTINGS, bytes: vec![0, 1, 0, 0, 44, 1, 0, 0] }
}

fn specialized(instructions: &[Instruction]) -> Vec<Instruction> {
    let program = Program { instructions: instructions.to_vec(), functions: Vec::new() };
    super::specialized(&program, &constants()).expect("the program is understood").instructions
}

const EXIT_NOW: Instruction = Instruction::new(JMP | EXIT, 0, 0, 0, 0);
/// A helper that no function here calls.
const HELPER: Instruction = Instruction::new(JMP | CALL, 0, 0, 0, 5);

fn set(register: u8, n: i32) -> Instruction {
    Instruction::new(ALU64 | MOV, register, 0, 0, n)
}

/// `register = &settings[at]`.
fn address(register: u8, map: i32, at: i32) -> [Instruction; 2] {
    [Instruction::new(LOAD_64, register, MAP_VALUE, 0, map), Instruction::new(0, 0, 0, 0, at)]
}

fn load_byte(to: u8, from: u8, offset: i16) -> Instruction {
    Instruction::new(LDX | MEMORY | 0x10, to, from, offset, 0)
}

fn load_word(to: u8, from: u8, offset: i16) -> Instruction {
    Instruction::new(LDX | MEMORY, to, from, offset, 0)
}

/// `if register == n goto +offset`.
fn jump_if_equal(register: u8, n: i32, offset: i16) -> Instruction {
    Instruction::new(JMP | 0x10, register, 0, offset, n)
}

fn jump(offset: i16) -> Instruction {
    Instruction::new(JMP | JA, 0, 0, offset, 0)
}

#[test]
fn code_that_a_setting_switches_off_is_gone() {
    let [a, b] = address(1, SETTINGS, 0);
    let load = load_byte(2, 1, 0);
    // if (setting) helper();
    assert_eq!(
        specialized(&[a, b, load, jump_if_equal(2, 0, 1), HELPER, set(0, 0), EXIT_NOW]),
        [a, b, load, set(0, 0), EXIT_NOW]
    );
    // The same for a setting that is on.
    let load = load_byte(2, 1, 1);
    assert_eq!(
        specialized(&[a, b, load, jump_if_equal(2, 0, 1), HELPER, set(0, 0), EXIT_NOW]),
        [a, b, load, HELPER, set(0, 0), EXIT_NOW]
    );
    // A number, found through an address that was computed.
    let add = Instruction::new(ALU64 | ADD, 1, 0, 0, 3);
    let load = load_word(2, 1, 1);
    assert_eq!(
        specialized(&[a, b, add, load, jump_if_equal(2, 300, 1), HELPER, set(0, 0), EXIT_NOW]),
        [a, b, add, load, set(0, 0), EXIT_NOW]
    );
}

#[test]
fn what_is_not_a_setting_decides_nothing() {
    let rest = |load| [load, jump_if_equal(2, 0, 1), HELPER, set(0, 0), EXIT_NOW];
    // Another map; memory behind the settings; an argument of the program.
    let other = [&address(1, SETTINGS + 1, 0)[..], &rest(load_byte(2, 1, 0))].concat();
    let behind = [&address(1, SETTINGS, 0)[..], &rest(load_word(2, 1, 6))].concat();
    let argument = rest(load_byte(2, 1, 0)).to_vec();
    for program in [other, behind, argument] {
        assert_eq!(specialized(&program), program);
    }
}

#[test]
fn ways_that_meet_know_what_is_the_same_on_both() {
    // (A call's result is not known.)
    let same = [HELPER, set(2, 5), jump_if_equal(0, 0, 1), set(2, 5), jump_if_equal(2, 5, 1), HELPER, EXIT_NOW];
    assert_eq!(specialized(&same), [HELPER, set(2, 5), jump_if_equal(0, 0, 1), set(2, 5), EXIT_NOW]);
    let other = [HELPER, set(2, 5), jump_if_equal(0, 0, 1), set(2, 6), jump_if_equal(2, 5, 1), HELPER, EXIT_NOW];
    assert_eq!(specialized(&other), other);
}

#[test]
fn a_loop_ends_with_what_holds_in_every_round() {
    // r6 = 0; do { helper(); r6 += 1; } while (r6 != 10)
    let program = [
        set(6, 0),
        HELPER,
        Instruction::new(ALU64 | ADD, 6, 0, 0, 1),
        Instruction::new(JMP | 0x50, 6, 0, -3, 10),
        EXIT_NOW,
    ];
    assert_eq!(specialized(&program), program);
}

#[test]
fn jumps_and_calls_lead_where_they_led() {
    let [a, b] = address(1, SETTINGS, 0);
    let call = |distance| Instruction::new(JMP | CALL, 0, OWN_FUNCTION, 0, distance);
    let program = Program {
        instructions: vec![
            a,
            b,
            load_byte(2, 1, 0),
            jump_if_equal(2, 0, 2),
            call(6), // of the first function, switched off
            HELPER,
            jump_if_equal(0, 0, 1), // what the helper returned is not known
            call(5),                // of the second
            set(0, 0),
            jump(0),
            EXIT_NOW,
            set(0, 1), // the first function
            EXIT_NOW,
            set(0, 2), // the second
            EXIT_NOW,
        ],
        functions: vec![
            FunctionInfo { begin: 0, type_id: 1 },
            FunctionInfo { begin: 11, type_id: 2 },
            FunctionInfo { begin: 13, type_id: 3 },
        ],
    };
    let short = super::specialized(&program, &constants()).unwrap();
    assert_eq!(
        short.instructions,
        [a, b, load_byte(2, 1, 0), jump_if_equal(0, 0, 1), call(2), set(0, 0), EXIT_NOW, set(0, 2), EXIT_NOW]
    );
    assert_eq!(short.functions, [FunctionInfo { begin: 0, type_id: 1 }, FunctionInfo { begin: 7, type_id: 3 }]);
}

#[test]
fn arithmetic_is_the_machines() {
    // (operation, class, a, b, result)
    let cases: [(u8, u8, i32, i32, i64); 11] = [
        (ADD, ALU64, 2, -3, -1),
        (SUB, ALU32, 2, 3, 0xffff_ffff),
        (AND, ALU64, 6, 3, 2),
        (OR, ALU64, 6, 3, 7),
        (XOR, ALU64, 6, 3, 5),
        (MUL, ALU64, 6, -3, -18),
        (LSH, ALU32, 3, 31, 0x8000_0000),
        (RSH, ALU64, -1, 63, 1),
        (RSH, ALU32, -1, 31, 1),
        (ARSH, ALU64, -8, 1, -4),
        (ARSH, ALU32, -8, 1, 0xffff_fffc),
    ];
    for (operation, class, a, b, result) in cases {
        let [low, high] = [result as i32, (result >> 32) as i32];
        let program = [
            set(6, a),
            Instruction::new(class | operation, 6, 0, 0, b),
            Instruction::new(LOAD_64, 7, NUMBER, 0, low),
            Instruction::new(0, 0, 0, 0, high),
            Instruction::new(JMP | 0x10 | BY_REGISTER, 6, 7, 1, 0),
            HELPER,
            EXIT_NOW,
        ];
        assert_eq!(specialized(&program).len(), 5, "{operation:#x} of class {class}: {a}, {b}");
    }
}

#[test]
fn nonsense_is_left_to_the_verifier() {
    for program in [
        vec![],
        vec![jump(5), EXIT_NOW],
        vec![jump(-5), EXIT_NOW],
        vec![set(0, 0)],
        vec![Instruction::new(LOAD_64, 1, NUMBER, 0, 0)],
        vec![Instruction::new(ALU64 | MOV, 15, 0, 0, 0), EXIT_NOW],
        vec![Instruction::new(LD | 0x20, 0, 0, 0, 0), EXIT_NOW],
        vec![Instruction::new(JMP | CALL, 0, OWN_FUNCTION, 0, 100), EXIT_NOW],
    ] {
        let program = Program { instructions: program, functions: Vec::new() };
        assert_eq!(super::specialized(&program, &constants()), None, "{program:?}");
    }
}
