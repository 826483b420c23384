//! Expressions have the values that the interpreter of the `cel` crate finds.

use cel::{Context, Program};
use stride_filter::{CallFacts, CallField, Datum, Expression, Fault};

/// The facts that both know.
struct Facts;

impl CallFacts for Facts {
    fn field(&self, field: CallField) -> Result<Option<Datum<'_>>, Fault> {
        Ok(match field {
            CallField::Name => Some(Datum::Text("openat".into())),
            CallField::Path => Some(Datum::Text("/etc/hösts".into())),
            CallField::Pid => Some(Datum::Int(4711)),
            CallField::Ret => Some(Datum::Int(-1)),
            _ => None,
        })
    }

    fn argument(&self, name: &str) -> Result<Option<Datum<'_>>, Fault> {
        let text = |text: &'static str| Datum::Text(text.into());
        Ok(match name {
            "flags" => Some(Datum::List(vec![text("O_RDWR"), text("O_CREAT")])),
            "count" => Some(Datum::Int(7)),
            _ => None,
        })
    }
}

fn context() -> Context<'static, 'static> {
    let mut context = Context::default();
    context.add_variable_from_value("name", "openat");
    context.add_variable_from_value("path", "/etc/hösts");
    context.add_variable_from_value("pid", 4711_i64);
    context.add_variable_from_value("ret", -1_i64);
    let args = [("flags", cel::Value::from(vec!["O_RDWR", "O_CREAT"])), ("count", cel::Value::from(7_i64))];
    context.add_variable_from_value("args", std::collections::HashMap::from(args));
    context
}

#[test]
fn values_are_those_of_the_interpreter() {
    let context = context();
    for source in [
        "true",
        "!true",
        "name == 'openat'",
        "name != 'openat'",
        "name < 'zzz'",
        "path.size() == 10",
        "size(path) == 11",
        "path.startsWith('/etc') && path.endsWith('sts')",
        "path.contains('ö')",
        "path + name == '/etc/höstsopenat'",
        "pid % 10 == 1",
        "pid / 2 == 2355",
        "-pid / 2 == -2355",
        "-pid % 10 == -1",
        "-pid % 10 == 9",
        "pid - 1 * 3 == 4708",
        "(pid - 1) * 3 == 14130",
        "ret == -1",
        "--ret == ret",
        "-(-ret) == ret",
        "1 + 2 * 3 - 4 == 3",
        "ret < 0 ? true : false",
        "true ? false : true ? true : true",
        "false || true && false",
        "(false || true) && false",
        "!(false && true) || false",
        "pid in [1, 2, 4711]",
        "'O_CREAT' in args.flags",
        "'O_EXCL' in args.flags",
        "args.flags.exists(f, f == 'O_CREAT')",
        "args.flags.exists_one(f, f.startsWith('O_'))",
        "args.flags.all(f, f.startsWith('O_'))",
        "[].all(f, f == 1)",
        "[].exists(f, f == 1)",
        "args.flags.map(f, size(f)) == [6, 7]",
        "args.flags.filter(f, size(f) > 6) == ['O_CREAT']",
        "args.flags + ['x'] == ['O_RDWR', 'O_CREAT', 'x']",
        "[1, 2].exists(a, [2, 3].exists(b, a == b))",
        "[1, 2].exists(a, [a].exists(a, a == 2))",
        "args.flags[0] == 'O_RDWR'",
        "args.flags[2] == 'O_RDWR'",
        "args.count == 7 && args.count > 6",
        "has(args.count) && !has(args.nbytes)",
        "args.nbytes == 7",
        "args.nbytes == 7 || true",
        "true || args.nbytes == 7",
        "args.nbytes == 7 && false",
        "false && args.nbytes == 7",
        "args.nbytes == 7 && true",
        "args.flags.exists(f, f == 'O_RDWR' || args.nbytes == 1)",
        "args.flags.all(f, f == 'O_RDWR' || args.nbytes == 1)",
        "args.flags.all(f, f == 'x' && args.nbytes == 1)",
        "args.count == 'x'",
        "args.flags > 5",
        "string(pid) == '4711'",
        "int('12') + 1 == 13",
        "int(path) == 1",
        "pid / (ret + 1) == 0",
        "pid % (ret + 1) == 0",
        "'\\x41\\u00e9' == 'Aé'",
        "r'\\n' == '\\\\n'",
        "'''a'b''' == \"a'b\"",
        "0x10 == 16",
        "[pid, 1] == [4711, 1]",
        "[1, 2] != [2, 1]",
        "[[1], [2]] == [[1], [2]]",
    ] {
        let own = Expression::parse(source).unwrap_or_else(|error| panic!("{source}: {error}")).holds(&Facts).ok();
        let theirs = match Program::compile(source).unwrap().execute(&context) {
            Ok(cel::Value::Bool(truth)) => Some(truth),
            Ok(other) => panic!("{source}: {other:?}"),
            Err(_) => None,
        };
        assert_eq!(own, theirs, "{source}");
    }
}
