//! Writing a program without the instructions that are not reached.

use super::instruction::*;
use super::program::{FunctionInfo, Program};
use super::values::Reached;

/// `None`: a jump leads nowhere, or too far.
pub fn without_the_rest(program: &Program, reached: &[Reached]) -> Option<Program> {
    let kept = kept(&program.instructions, reached);
    let mut place = Vec::with_capacity(kept.len() + 1);
    let mut n = 0;
    for kept in &kept {
        place.push(n);
        n += usize::from(*kept);
    }
    place.push(n);
    let mut instructions = Vec::with_capacity(n);
    let mut at = 0;
    while at < kept.len() {
        let mut instruction = program.instructions[at];
        let len = instruction.len();
        if kept[at] {
            let distance = |target: usize| Some(*place.get(target)? as isize - place[at] as isize - 1);
            if let Some(function) = instruction.function(at) {
                instruction.immediate = distance(function?)?.try_into().ok()?;
            } else if instruction.is_jump() {
                let target = distance(instruction.jump_target(at)?)?;
                if reached[at] == Reached::Jumps(true) {
                    instruction = Instruction::new(JMP | JA, 0, 0, 0, 0);
                }
                instruction.offset = target.try_into().ok()?;
            }
            instructions.push(instruction);
            instructions.extend((1..len).map(|more| program.instructions[at + more]));
        }
        at += len;
    }
    let is_reached =
        |function: &&FunctionInfo| reached.get(function.begin as usize).is_some_and(|&fate| fate != Reached::Never);
    let functions = program.functions.iter().filter(is_reached);
    let functions =
        functions.map(|function| FunctionInfo { begin: place[function.begin as usize] as u32, ..*function });
    Some(Program { functions: functions.collect(), instructions })
}

/// The instructions that stay: those that are reached, without jumps that lead to what follows anyway.
fn kept(program: &[Instruction], reached: &[Reached]) -> Vec<bool> {
    let mut kept: Vec<bool> =
        reached.iter().map(|&reached| !matches!(reached, Reached::Never | Reached::Jumps(false))).collect();
    for at in (0..program.len()).rev().filter(|&at| reached[at] == Reached::Jumps(true)) {
        let target = program[at].jump_target(at).unwrap_or_default();
        let follows = target > at && !kept[at + 1..target].iter().any(|&kept| kept);
        kept[at] &= !follows;
    }
    kept
}
