//! Changing calls: `-e inject=`, `-e fault=`.
//!
//! The grammar is strace's: a set of calls, and terms after colons. `short=`, `thread=`, `prob=` and `seed=` are Stride's own.

use crate::{Catalog, Error, errors, parse_syscalls, signals};
use stride_event::{Chance, InjectedResult, Injection, Invocations, Ns, Poke, ThreadKey};
use stride_syscalls::Class;
use stride_syscalls::uapi::consts::ENOSYS;

/// A kind of rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tamper {
    /// `inject`: any term.
    Inject,
    /// `fault`: the call fails, with ENOSYS unless another error is given.
    Fault,
}

impl Tamper {
    fn name(self) -> &'static str {
        match self {
            Tamper::Inject => "inject",
            Tamper::Fault => "fault",
        }
    }

    fn terms(self) -> &'static [&'static str] {
        match self {
            Tamper::Inject => &TERMS,
            Tamper::Fault => &["error", "when", "thread", "syscall", "prob", "seed"],
        }
    }
}

/// All terms.
const TERMS: [&str; 13] = [
    "error",
    "retval",
    "signal",
    "syscall",
    "delay_enter",
    "delay_exit",
    "poke_enter",
    "poke_exit",
    "short",
    "when",
    "thread",
    "prob",
    "seed",
];

const MOST_INVOCATION: u64 = 65535;
/// Bytes that one `@argN=` writes at most, as in strace.
const MOST_POKED: usize = 1024;

/// A rule as it was written. Without `seed=`, the seed is still to be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct InjectionRule {
    pub injection: Injection,
    /// `prob=` without `seed=`.
    pub wants_seed: bool,
}

/// Parses `SET[:TERM=VALUE]...`. `delay` reads a time.
pub fn parse_injection(
    text: &str,
    tamper: Tamper,
    catalog: &Catalog,
    delay: impl Fn(&str) -> Option<Ns>,
) -> Result<InjectionRule, Error> {
    let invalid = |why: String| Error::Injection { option: tamper.name(), text: text.into(), why };
    let mut parts = text.split(':');
    let set = parts.next().unwrap_or_default();
    let mut rule = Injection::into_calls(parse_syscalls(set, catalog)?);
    let (mut probability, mut seed, mut instead) = (None, None, None);
    for term in parts.filter(|term| !term.is_empty()) {
        let (name, value) = term
            .split_once('=')
            .ok_or_else(|| invalid(format!("'{term}' is no term; the terms are {}", written(tamper.terms()))))?;
        if !tamper.terms().contains(&name) {
            return Err(invalid(unknown(name, tamper)));
        }
        let no = |allowed: &str| invalid(format!("'{value}' is no value of {name}=, which takes {allowed}"));
        let once = |given: bool| if given { Err(invalid(format!("{name}= is given twice"))) } else { Ok(()) };
        match name {
            "error" | "retval" => {
                if rule.result.is_some() {
                    return Err(invalid("a call has one result: give error= or retval= once, and not both".into()));
                }
                rule.result = Some(match name {
                    "error" => errors::errno(value)
                        .map(InjectedResult::Error)
                        .ok_or_else(|| no("the name of an error, such as EIO, or a number from 1 to 4095"))?,
                    _ => number(value)
                        .map(InjectedResult::Value)
                        .ok_or_else(|| no("a number: decimal, octal after 0, or hexadecimal after 0x"))?,
                });
            }
            "signal" => {
                once(rule.signal.is_some())?;
                let signal = signals::number_of(value).filter(|n| (1..=signals::RTMAX).contains(n));
                rule.signal = Some(i32::from(
                    signal.ok_or_else(|| no("the name of a signal, such as SIGUSR1, or a number from 1 to 64"))?,
                ));
            }
            "syscall" => {
                once(instead.is_some())?;
                instead = Some(pure(value, catalog).ok_or_else(|| {
                    no("the name of a call that changes nothing: one of %pure, such as getpid")
                })?);
            }
            "delay_enter" | "delay_exit" => {
                let of = if name == "delay_enter" { &mut rule.delay_enter } else { &mut rule.delay_exit };
                once(of.is_some())?;
                let time = delay(value).ok_or_else(|| no("a time: a number of microseconds, or one with s, ms, us or ns"))?;
                *of = Some(time);
            }
            "poke_enter" | "poke_exit" => {
                let of = if name == "poke_enter" { &mut rule.poke_enter } else { &mut rule.poke_exit };
                once(!of.is_empty())?;
                *of = pokes(value).map_err(&no)?;
            }
            "short" => {
                once(rule.short.is_some())?;
                rule.short = Some(number(value).filter(|n| *n > 0 && *n <= i64::MAX as u64).ok_or_else(|| no("a number of bytes from 1 on"))?);
            }
            "when" => rule.when = when(value).ok_or_else(|| {
                no("FIRST[..LAST][+[STEP]], with numbers from 1 to 65535 (LAST up to 65534), such as 3, 2..4, 5+ or 1+2")
            })?,
            "thread" => {
                once(rule.thread.is_some())?;
                rule.thread = Some(thread(value).ok_or_else(|| {
                    no("the place of a thread among the traced ones: 1 for the command, 1.2 for the second thread or process that it makes, and so on")
                })?);
            }
            "prob" => {
                once(probability.is_some())?;
                let p: Option<f64> = value.parse().ok().filter(|p| value.starts_with(|c: char| c.is_ascii_digit() || c == '.') && (0.0..=1.0).contains(p));
                probability = Some(p.ok_or_else(|| no("a probability from 0 to 1, such as 0.01"))?);
            }
            _ => {
                once(seed.is_some())?;
                seed = Some(number(value).filter(|_| !value.starts_with('-')).ok_or_else(|| no("a number from 0 on"))?);
            }
        }
    }
    if tamper == Tamper::Fault && rule.result.is_none() {
        rule.result = Some(InjectedResult::Error(ENOSYS as u32));
    }
    let delays = rule.delay_enter.is_some() || rule.delay_exit.is_some();
    let pokes = !rule.poke_enter.is_empty() || !rule.poke_exit.is_empty();
    if rule.result.is_none() && rule.signal.is_none() && rule.short.is_none() && !delays && !pokes {
        let actions = ["error", "retval", "signal", "delay_enter", "delay_exit", "poke_enter", "poke_exit", "short"];
        return Err(invalid(format!("nothing is said to be changed; add one of {}", written(&actions))));
    }
    if rule.result.is_some() && rule.short.is_some() {
        return Err(invalid("a call that is not made moves no bytes: leave short= or the result out".into()));
    }
    if seed.is_some() && probability.is_none() {
        return Err(invalid("seed= says which calls prob= chooses; add prob=".into()));
    }
    // A call that is made in place of another one needs a result to hide its own.
    if rule.result.is_some() {
        rule.instead = instead.unwrap_or_default();
    }
    rule.chance = probability.map(|probability| Chance { probability, seed: seed.unwrap_or_default() });
    Ok(InjectionRule { injection: rule, wants_seed: probability.is_some() && seed.is_none() })
}

/// `a=, b=, c=`
fn written(terms: &[&str]) -> String {
    terms.iter().map(|term| format!("{term}=")).collect::<Vec<_>>().join(", ")
}

fn unknown(name: &str, tamper: Tamper) -> String {
    if TERMS.contains(&name) {
        let all = written(tamper.terms());
        return format!("{name}= is not for {}, which takes {all}; use inject=", tamper.name());
    }
    let hint = crate::did_you_mean(name, tamper.terms().iter().copied());
    if hint.is_empty() {
        format!("'{name}=' is no term; the terms are {}", written(tamper.terms()))
    } else {
        format!("'{name}=' is no term{hint}")
    }
}

/// A number as strtoull(3) reads it.
fn number(text: &str) -> Option<u64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (radix, digits) = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) => (16, digits),
        None if digits.len() > 1 && digits.starts_with('0') => (8, &digits[1..]),
        None => (10, digits),
    };
    // `from_str_radix` would accept a sign.
    let number = u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'))?;
    Some(if negative { number.wrapping_neg() } else { number })
}

/// The numbers of a call that changes nothing, by ABI.
fn pure(name: &str, catalog: &Catalog) -> Option<[Option<u32>; stride_syscalls::Abi::ALL.len()]> {
    let mut numbers = [None; stride_syscalls::Abi::ALL.len()];
    for call in catalog.iter().filter(|call| call.name == name && call.class.intersects(Class::PURE)) {
        numbers[call.abi as usize] = Some(call.nr);
    }
    numbers.iter().any(Option::is_some).then_some(numbers)
}

/// `FIRST[..LAST][+[STEP]]`
fn when(text: &str) -> Option<Invocations> {
    let number = |text: &str, most: u64| crate::list::number(text).filter(|n| (1..=most).contains(n));
    let (range, step) = match text.split_once('+') {
        None => (text, None),
        Some((range, "")) => (range, Some(1)),
        Some((range, step)) => (range, Some(number(step, MOST_INVOCATION)?)),
    };
    let (first, last) = match range.split_once("..") {
        None => {
            let first = number(range, MOST_INVOCATION)?;
            (first, if step.is_some() { u64::MAX } else { first })
        }
        Some((first, last)) => (number(first, MOST_INVOCATION)?, number(last, MOST_INVOCATION - 1)?),
    };
    (first <= last).then_some(Invocations { first, last, step: step.unwrap_or(1) })
}

/// `ROOT[.CHILD]...`, each counted from 1.
fn thread(text: &str) -> Option<ThreadKey> {
    let mut ordinals = text.split('.').map(|part| crate::list::number(part).filter(|n| *n > 0));
    let root = ThreadKey::root(ordinals.next()??);
    ordinals.try_fold(root, |key, ordinal| Some(key.child(ordinal?)))
}

/// `@argN=HEX[,@argM=HEX]...`. The error says what is allowed.
fn pokes(text: &str) -> Result<Vec<Poke>, &'static str> {
    const FORM: &str =
        "@argN=DATA[,@argM=DATA]..., with N from 1 to 7 and DATA in hexadecimal, two digits for each byte";
    let mut pokes: Vec<Poke> = Vec::new();
    for part in text.split(',') {
        let (arg, data) = part.strip_prefix("@arg").and_then(|part| part.split_once('=')).ok_or(FORM)?;
        let arg = crate::list::number(arg).filter(|n| (1..=7).contains(n)).ok_or(FORM)? as usize - 1;
        if pokes.iter().any(|poke| poke.arg == arg) {
            return Err("each argument once");
        }
        if data.len() > 2 * MOST_POKED {
            return Err("at most 1024 bytes for an argument");
        }
        if data.is_empty() || !data.len().is_multiple_of(2) || !data.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(FORM);
        }
        let byte = |i: usize| u8::from_str_radix(&data[i..i + 2], 16).map_err(|_| FORM);
        pokes.push(Poke { arg, bytes: (0..data.len()).step_by(2).map(byte).collect::<Result<_, _>>()? });
    }
    Ok(pokes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_syscalls::Abi;

    fn parse(text: &str, tamper: Tamper) -> Result<InjectionRule, Error> {
        parse_injection(text, tamper, Catalog::native(), |text| text.parse().ok())
    }

    #[track_caller]
    fn inject(text: &str) -> Injection {
        parse(text, Tamper::Inject).unwrap().injection
    }

    #[test]
    fn actions() {
        let rule = inject("chdir:error=eio:signal=usr1:delay_enter=5:delay_exit=6:poke_enter=@arg1=00fF,@arg7=41");
        assert!(rule.calls.contains(Abi::X86_64, 80) && !rule.calls.contains(Abi::X86_64, 81));
        assert_eq!(rule.result, Some(InjectedResult::Error(5)));
        assert_eq!((rule.signal, rule.delay_enter, rule.delay_exit), (Some(10), Some(5), Some(6)));
        let poke = |arg, bytes: &[u8]| Poke { arg, bytes: bytes.to_vec() };
        assert_eq!(rule.poke_enter, [poke(0, &[0, 255]), poke(6, b"A")]);
        for (value, result) in [("010", 8), ("0xfF", 255), ("-1", u64::MAX), ("42", 42), ("0", 0)] {
            assert_eq!(inject(&format!("chdir:retval={value}")).result, Some(InjectedResult::Value(result)));
        }
        assert_eq!(inject("chdir:error=4095").result, Some(InjectedResult::Error(4095)));
        // A call in place of another one is made only if a result hides its own.
        assert_eq!(inject("chdir:error=1:syscall=getpid").instead[Abi::X86_64 as usize], Some(39));
        assert_eq!(inject("chdir:signal=1:syscall=getpid").instead, [None; Abi::ALL.len()]);
        assert_eq!(parse("chdir", Tamper::Fault).unwrap().injection.result, Some(InjectedResult::Error(38)));
        assert!(inject("chdir::error=EIO:").result.is_some(), "empty terms are skipped");
    }

    #[test]
    fn invocations_and_chances() {
        let when = |text: &str| inject(&format!("chdir:error=1:when={text}")).when;
        let of = |first, last, step| Invocations { first, last, step };
        assert_eq!(when("3"), of(3, 3, 1));
        assert_eq!(when("3+"), of(3, u64::MAX, 1));
        assert_eq!(when("3+2"), of(3, u64::MAX, 2));
        assert_eq!(when("3..5"), of(3, 5, 1));
        assert_eq!(when("3..5+"), of(3, 5, 1));
        assert_eq!(when("3..9+2"), of(3, 9, 2));
        assert_eq!(when("65535:when=2"), of(2, 2, 1), "the last one counts");
        let rule = parse("chdir:error=1:prob=0.25:seed=7", Tamper::Fault).unwrap();
        assert_eq!(rule.injection.chance, Some(Chance { probability: 0.25, seed: 7 }));
        assert!(!rule.wants_seed && parse("chdir:error=1:prob=.5", Tamper::Inject).unwrap().wants_seed);
    }

    #[test]
    fn short_transfers() {
        assert_eq!(inject("read:short=3").short, Some(3));
        assert_eq!(inject("read:delay_enter=1").short, None);
    }

    #[test]
    fn threads() {
        let of = |text: &str| inject(&format!("chdir:error=1:thread={text}")).thread;
        assert_eq!(of("1"), Some(ThreadKey::root(1)));
        assert_eq!(of("1.2.1"), Some(ThreadKey::root(1).child(2).child(1)));
        for text in ["", "0", "1.", "1.0", ".1", "a", "1..2", "-1"] {
            let message = parse(&format!("chdir:error=1:thread={text}"), Tamper::Fault).unwrap_err().to_string();
            assert!(message.contains("is no value of thread=, which takes the place of a thread"), "{message}");
        }
    }

    #[test]
    fn mistakes_are_told_with_what_is_allowed() {
        for (text, why) in [
            ("chdir", "nothing is said to be changed; add one of error=, retval=,"),
            ("chdir:when=3", "nothing is said to be changed"),
            ("chdir:42", "'42' is no term; the terms are error=, retval=,"),
            ("chdir:eror=EIO", "'eror=' is no term; did you mean 'error'?"),
            ("chdir:error=", "'' is no value of error=, which takes the name of an error"),
            ("chdir:error=4096", "'4096' is no value of error="),
            ("chdir:error=-1", "'-1' is no value of error="),
            ("chdir:error=1:retval=1", "a call has one result"),
            ("chdir:retval=0b", "'0b' is no value of retval=, which takes a number"),
            ("chdir:retval=0x10000000000000000", "'0x10000000000000000' is no value of retval="),
            ("chdir:signal=0", "'0' is no value of signal="),
            ("chdir:signal=65", "'65' is no value of signal="),
            ("chdir:signal=1:signal=2", "signal= is given twice"),
            (
                "chdir:error=1:syscall=chdir",
                "'chdir' is no value of syscall=, which takes the name of a call that changes nothing",
            ),
            ("chdir:error=1:syscall=39", "'39' is no value of syscall="),
            ("chdir:delay_enter=-1", "'-1' is no value of delay_enter=, which takes a time"),
            ("chdir:delay_enter=1:delay_enter=1", "delay_enter= is given twice"),
            ("chdir:poke_enter=@arg8=41", "'@arg8=41' is no value of poke_enter=, which takes @argN=DATA"),
            ("chdir:poke_enter=@arg1=414", "'@arg1=414' is no value of poke_enter="),
            ("chdir:poke_enter=@arg1=é1", "'@arg1=é1' is no value of poke_enter="),
            (
                "chdir:poke_exit=@arg1=41,@arg1=41",
                "'@arg1=41,@arg1=41' is no value of poke_exit=, which takes each argument once",
            ),
            ("read:short=0", "'0' is no value of short=, which takes a number of bytes from 1 on"),
            ("read:short=1:error=EIO", "a call that is not made moves no bytes"),
            ("chdir:error=1:prob=2", "'2' is no value of prob=, which takes a probability from 0 to 1"),
            ("chdir:error=1:prob=nan", "'nan' is no value of prob="),
            ("chdir:error=1:seed=2", "seed= says which calls prob= chooses"),
            ("chdir:error=1:prob=1:seed=-2", "'-2' is no value of seed="),
        ] {
            let message = parse(text, Tamper::Inject).unwrap_err().to_string();
            assert!(message.starts_with(&format!("invalid inject argument '{text}'; {why}")), "{message}");
        }
        for text in [
            "",
            "0",
            "-1",
            "5-",
            "6++",
            "7+0",
            "9+1+",
            "65536",
            "1+65536",
            ".",
            "..+",
            "10.",
            "15..",
            "17...18",
            ".19",
            "24..23",
            "27..65535",
        ] {
            let message = parse(&format!("chdir:error=1:when={text}"), Tamper::Inject).unwrap_err().to_string();
            assert!(message.contains("; ") && message.contains("is no value of when="), "{message}");
        }
        let message = parse("chdir:signal=1", Tamper::Fault).unwrap_err().to_string();
        assert_eq!(
            message,
            "invalid fault argument 'chdir:signal=1'; signal= is not for fault, which takes error=, when=, thread=, syscall=, prob=, seed=; \
             use inject="
        );
        assert_eq!(
            parse("chdri:error=1", Tamper::Inject).unwrap_err().to_string(),
            "invalid system call 'chdri'; did you mean 'chdir'?"
        );
    }
}
