//! From the syntax tree of the `cel` crate to checked nodes: fields and types are known, and the cost is bounded.

use super::datum::{Datum, Kind, parse_duration};
use super::field::{CallField, FIELDS};
use super::foreign;
use super::mistake::ExprMistake;
use super::node::{ExprNode, Quantifier};
use super::parse::{self, DEEPEST};
use super::typed::{
    BYTES_A_STEP, MOST_STEPS, REGEX_BYTES_A_STEP, REGEX_SIZE, Typed, arithmetic, comparison, quantifier,
};
use super::vocabulary;
use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, SelectExpr, SourceInfo, operators};
use regex::RegexBuilder;
use std::collections::BTreeSet;

/// A checked expression.
pub struct Compiled {
    pub root: ExprNode,
    pub fields: Vec<CallField>,
    pub arguments: bool,
}

pub fn compile(source: &str) -> Result<Compiled, ExprMistake> {
    let (tree, places) = parse::parse(source)?;
    let mut compiler =
        Compiler { source, places, fields: BTreeSet::new(), arguments: false, variables: Vec::new(), depth: 0 };
    let root = compiler.typed(&tree)?;
    if !root.kind.fits(&Kind::Bool) {
        let explanation = format!("the expression is of type {}, and must say yes or no (bool)", root.kind);
        return Err(compiler.mistake(&tree, explanation));
    }
    if root.steps > MOST_STEPS {
        return Err(compiler.mistake(
            &tree,
            format!("the expression may take {} steps for a call, and at most {MOST_STEPS} are allowed; nested macros and regular expressions over long lists and texts cost most", root.steps),
        ));
    }
    let fields = FIELDS.iter().map(|facts| facts.field).filter(|field| compiler.fields.contains(&(*field as usize)));
    Ok(Compiled { fields: fields.collect(), arguments: compiler.arguments, root: root.node })
}

struct Compiler<'s> {
    source: &'s str,
    places: SourceInfo,
    /// The fields that are mentioned, by their place in the table.
    fields: BTreeSet<usize>,
    arguments: bool,
    /// The elements of the macros around: names and types, and the most bytes that each has.
    variables: Vec<(String, Kind, u64)>,
    depth: usize,
}

type Checked<T> = Result<T, ExprMistake>;

impl Compiler<'_> {
    fn mistake(&self, at: &IdedExpr, message: impl Into<String>) -> ExprMistake {
        let place = self.places.offset_for(at.id).map_or(0, |(start, _)| start as usize);
        ExprMistake::at(self.source, place, message)
    }

    fn typed(&mut self, tree: &IdedExpr) -> Checked<Typed> {
        self.depth += 1;
        if self.depth > 2 * DEEPEST {
            return Err(self.mistake(tree, format!("the expression is nested more than {DEEPEST} levels deep")));
        }
        let typed = self.node(tree);
        self.depth -= 1;
        typed
    }

    fn node(&mut self, tree: &IdedExpr) -> Checked<Typed> {
        match &tree.expr {
            Expr::Literal(literal) => self.literal(tree, literal),
            Expr::Ident(name) => self.name(tree, name),
            Expr::Select(select) => self.select(tree, select),
            Expr::Call(call) => self.call(tree, call),
            Expr::List(list) => {
                let items: Vec<Typed> = list.elements.iter().map(|item| self.typed(item)).collect::<Checked<_>>()?;
                let first = items.first().map_or(Kind::Dyn, |item| item.kind.clone());
                let kind = if items.iter().all(|item| item.kind == first) { first } else { Kind::Dyn };
                let steps = items.iter().map(|item| item.steps).fold(0, u64::saturating_add);
                let (size, item) = (items.len() as u64, items.iter().map(|item| item.size).max().unwrap_or(0));
                let nodes = items.into_iter().map(|item| item.node).collect();
                Ok(Typed::new(ExprNode::List(nodes), Kind::List(Box::new(kind)), steps).sized(size, item))
            }
            Expr::Map(_) => {
                Err(self
                    .mistake(tree, "maps are not supported: compare with a list, as in name in [\"read\", \"write\"]"))
            }
            Expr::Struct(_) => Err(self.mistake(tree, "messages are not supported")),
            Expr::Comprehension(_) | Expr::Unspecified => Err(self.mistake(tree, "this is not supported")),
        }
    }

    fn literal(&self, tree: &IdedExpr, literal: &LiteralValue) -> Checked<Typed> {
        let (value, kind, size) = match literal {
            LiteralValue::Boolean(value) => (Datum::Bool(*value.inner()), Kind::Bool, 0),
            LiteralValue::Int(value) => (Datum::Int((*value.inner()).into()), Kind::Int, 0),
            LiteralValue::UInt(value) => (Datum::Int((*value.inner()).into()), Kind::Int, 0),
            LiteralValue::String(text) => {
                (Datum::Text(text.inner().to_owned().into()), Kind::Text, text.inner().len() as u64)
            }
            LiteralValue::Null => (Datum::Null, Kind::Null, 0),
            LiteralValue::Double(_) => {
                return Err(self.mistake(
                    tree,
                    "fractions are not supported: all fields are whole numbers, and duration(\"1.5ms\") is a time",
                ));
            }
            LiteralValue::Bytes(_) => {
                return Err(self.mistake(tree, "bytes are not supported: compare with text, without the b"));
            }
        };
        Ok(Typed::new(ExprNode::Literal(value), kind, 0).sized(size, 0))
    }

    fn name(&mut self, tree: &IdedExpr, name: &str) -> Checked<Typed> {
        if let Some(at) = self.variables.iter().rposition(|(known, ..)| known == name) {
            let (_, kind, size) = &self.variables[at];
            return Ok(Typed::new(ExprNode::Variable(at), kind.clone(), 0).sized(*size, *size));
        }
        match CallField::named(name) {
            Some(field) => Ok(self.field(field)),
            None => Err(self.unknown_name(tree, name)),
        }
    }

    fn field(&mut self, field: CallField) -> Typed {
        self.fields.insert(field as usize);
        Typed::new(ExprNode::Field(field), field.facts().kind(), 1).sized(1 << 13, 0)
    }

    fn unknown_name(&self, tree: &IdedExpr, name: &str) -> ExprMistake {
        let explanation = match name {
            "args" => "args needs the name of an argument, such as args.flags".to_owned(),
            "fd" => "fd needs fd.kind or fd.peer; the number is an argument: args.fd".to_owned(),
            _ if vocabulary::is_word(name) => format!("unknown field '{name}'; text stands in quotes: \"{name}\""),
            _ => match foreign::explanation(name) {
                Some(explanation) => explanation,
                None if vocabulary::argument(name).is_ok() => format!("{name} is an argument of calls: args.{name}"),
                None => {
                    let suggestion = crate::did_you_mean(name, FIELDS.iter().map(|facts| facts.name));
                    let all = if suggestion.is_empty() { format!("; {}", parse::fields()) } else { suggestion };
                    format!("unknown field '{name}'{all}")
                }
            },
        };
        self.mistake(tree, explanation)
    }

    /// The name of the argument in `args.NAME`.
    fn argument<'e>(&mut self, tree: &IdedExpr, select: &'e SelectExpr) -> Checked<Option<&'e str>> {
        let is_args = matches!(&select.operand.expr, Expr::Ident(root) if root == "args" && !self.is_variable(root));
        if !is_args {
            return Ok(None);
        }
        if let Err(hint) = vocabulary::argument(&select.field) {
            return Err(self.mistake(tree, format!("no system call has an argument '{}'{hint}", select.field)));
        }
        self.arguments = true;
        Ok(Some(&select.field))
    }

    fn is_variable(&self, name: &str) -> bool {
        self.variables.iter().any(|(known, ..)| known == name)
    }

    /// The field in `fd.NAME`.
    fn fd_field(&mut self, tree: &IdedExpr, select: &SelectExpr) -> Checked<Option<CallField>> {
        match &select.operand.expr {
            Expr::Ident(root) if root == "fd" && !self.is_variable(root) => {
                let name = format!("fd.{}", select.field);
                if let Some(explanation) = foreign::explanation(&name) {
                    return Err(self.mistake(&select.operand, explanation));
                }
                let hint = || crate::did_you_mean(&name, FIELDS.iter().map(|facts| facts.name));
                let field = CallField::named(&name);
                field.map(Some).ok_or_else(|| {
                    self.mistake(tree, format!("unknown field '{name}'{}; there are fd.kind and fd.peer", hint()))
                })
            }
            _ => Ok(None),
        }
    }

    fn select(&mut self, tree: &IdedExpr, select: &SelectExpr) -> Checked<Typed> {
        if let Some(name) = self.argument(tree, select)? {
            return Ok(Typed::unknown(ExprNode::Argument(name.to_owned()), 20));
        }
        if let Some(field) = self.fd_field(tree, select)? {
            return Ok(self.field(field));
        }
        if let Some(mistake) = self.foreign(tree) {
            return Err(mistake);
        }
        let of = self.typed(&select.operand)?;
        if !of.kind.fits(&Kind::Map) {
            return Err(self.mistake(tree, format!("{} has no members, such as '{}'", of.kind, select.field)));
        }
        let steps = of.steps;
        Ok(Typed::unknown(ExprNode::Member(of.boxed(), select.field.clone()), steps))
    }

    /// The mistake of a name with dots that another tool has: `proc.name`.
    fn foreign(&self, tree: &IdedExpr) -> Option<ExprMistake> {
        let (mut name, mut at) = (String::new(), tree);
        while let Expr::Select(select) = &at.expr {
            name = format!(".{}{name}", select.field);
            at = &select.operand;
        }
        let Expr::Ident(root) = &at.expr else { return None };
        if self.is_variable(root) || CallField::named(root).is_some() {
            return None;
        }
        let name = format!("{root}{name}");
        let explanation = foreign::explanation(&name).or_else(|| {
            let tool = foreign::is_family(root)?;
            Some(format!("{tool}'s {name} has no counterpart; {}", parse::fields()))
        })?;
        Some(self.mistake(at, explanation))
    }

    /// The mistake of a word that is to be compared with text and has no quotes.
    fn unquoted(&self, with: &Typed, tree: &IdedExpr) -> Option<ExprMistake> {
        let Expr::Ident(word) = &tree.expr else { return None };
        let is_known = self.is_variable(word) || CallField::named(word).is_some() || foreign::ours(word).is_some();
        let near = !crate::did_you_mean(word, FIELDS.iter().map(|facts| facts.name)).is_empty();
        (with.kind == Kind::Text && !is_known && !near)
            .then(|| self.mistake(tree, format!("unknown field '{word}'; text stands in quotes: \"{word}\"")))
    }

    fn has(&mut self, tree: &IdedExpr, args: &[IdedExpr]) -> Checked<Typed> {
        let explanation = "has() takes a field or an argument: has(path), has(args.flags)";
        let [of] = args else { return Err(self.mistake(tree, explanation)) };
        let (node, steps) = match &of.expr {
            Expr::Ident(name) => match CallField::named(name) {
                Some(field) => {
                    self.field(field);
                    (ExprNode::HasField(field), 1)
                }
                None => return Err(self.unknown_name(of, name)),
            },
            Expr::Select(select) => {
                if let Some(name) = self.argument(of, select)? {
                    (ExprNode::HasArgument(name.to_owned()), 20)
                } else if let Some(field) = self.fd_field(of, select)? {
                    self.field(field);
                    (ExprNode::HasField(field), 1)
                } else {
                    let inner = self.typed(&select.operand)?;
                    let steps = inner.steps;
                    (ExprNode::HasMember(inner.boxed(), select.field.clone()), steps)
                }
            }
            _ => return Err(self.mistake(of, explanation)),
        };
        Ok(Typed::new(node, Kind::Bool, steps))
    }

    fn call(&mut self, tree: &IdedExpr, call: &CallExpr) -> Checked<Typed> {
        match (&call.target, call.func_name.as_str(), &call.args[..]) {
            (None, "has", args) => self.has(tree, args),
            (Some(of), name, [variable, body]) if quantifier(name).is_some() => {
                self.each(tree, name, of, variable, body)
            }
            (None, "duration", [of]) => self.duration(tree, of),
            (None, operators::CONDITIONAL, [condition, then, otherwise]) => {
                let condition = self.of_kind(condition, &Kind::Bool)?;
                let (then, other) = (self.typed(then)?, self.typed(otherwise)?);
                if !then.kind.fits(&other.kind) {
                    return Err(self.mistake(
                        otherwise,
                        format!("both results must be of one type, and these are {} and {}", then.kind, other.kind),
                    ));
                }
                let steps = condition.steps + then.steps.max(other.steps);
                let (size, item) = (then.size.max(other.size), then.item.max(other.item));
                let kind = if then.kind == other.kind { then.kind.clone() } else { Kind::Dyn };
                Ok(Typed::new(ExprNode::If(Box::new([condition.node, then.node, other.node])), kind, steps)
                    .sized(size, item))
            }
            (None, operators::LOGICAL_NOT, [of]) => {
                let of = self.of_kind(of, &Kind::Bool)?;
                let steps = of.steps;
                Ok(Typed::new(ExprNode::Not(of.boxed()), Kind::Bool, steps))
            }
            (None, operators::NEGATE, [of]) => {
                let typed = self.typed(of)?;
                if ![Kind::Int, Kind::Duration, Kind::Dyn].contains(&typed.kind) {
                    return Err(self.mistake(of, format!("{} has no negative", typed.kind)));
                }
                let (kind, steps) = (typed.kind.clone(), typed.steps);
                Ok(Typed::new(ExprNode::Negate(typed.boxed()), kind, steps))
            }
            (None, name @ (operators::LOGICAL_AND | operators::LOGICAL_OR), [left, right]) => {
                let (left, right) = (self.of_kind(left, &Kind::Bool)?, self.of_kind(right, &Kind::Bool)?);
                let steps = left.steps.saturating_add(right.steps);
                let make = if name == operators::LOGICAL_AND { ExprNode::And } else { ExprNode::Or };
                Ok(Typed::new(make(left.boxed(), right.boxed()), Kind::Bool, steps))
            }
            (None, operators::IN, [left, right]) => self.membership(left, right),
            (None, name, [left, right]) if comparison(name).is_some() => self.compare(tree, name, left, right),
            (None, name, [left, right]) if arithmetic(name).is_some() => self.compute(tree, name, left, right),
            (None, operators::INDEX, [of, at]) => {
                if matches!(&of.expr, Expr::Ident(root) if root == "args") {
                    return Err(self.mistake(of, "an argument is named behind a dot: args.flags"));
                }
                let (of, at) = (self.typed(of)?, self.typed(at)?);
                let kind = match &of.kind {
                    Kind::List(item) if at.kind.fits(&Kind::Int) => (**item).clone(),
                    Kind::Dyn | Kind::Map => Kind::Dyn,
                    kind => return Err(self.mistake(tree, format!("{kind} has no elements at {}", at.kind))),
                };
                let steps = of.steps.saturating_add(at.steps).saturating_add(of.items());
                let item = of.item;
                Ok(Typed::new(ExprNode::Index(of.boxed(), at.boxed()), kind, steps).sized(item, item))
            }
            (target, name, args) => self.function(tree, target.as_deref(), name, args),
        }
    }

    fn of_kind(&mut self, tree: &IdedExpr, kind: &Kind) -> Checked<Typed> {
        let typed = self.typed(tree)?;
        if typed.kind.fits(kind) {
            return Ok(typed);
        }
        Err(self.mistake(tree, format!("{kind} is needed here, and this is {}", typed.kind)))
    }

    fn duration(&self, tree: &IdedExpr, of: &IdedExpr) -> Checked<Typed> {
        let explanation = "duration() takes a time in quotes, with units h, m, s, ms, us or ns: duration(\"10ms\")";
        let Expr::Literal(LiteralValue::String(text)) = &of.expr else { return Err(self.mistake(tree, explanation)) };
        let time = parse_duration(text.inner()).ok_or_else(|| self.mistake(of, explanation))?;
        Ok(Typed::new(ExprNode::Literal(Datum::Duration(time)), Kind::Duration, 0))
    }

    fn membership(&mut self, left: &IdedExpr, right: &IdedExpr) -> Checked<Typed> {
        let of = self.typed(left)?;
        if let Expr::List(list) = &right.expr
            && let Some(mistake) = list.elements.iter().find_map(|item| self.unquoted(&of, item))
        {
            return Err(mistake);
        }
        let among = self.typed(right)?;
        match &among.kind {
            Kind::List(item) if !of.kind.fits(item) => {
                return Err(self.mistake(left, format!("{} cannot be in a {}", of.kind, among.kind)));
            }
            Kind::List(_) | Kind::Dyn | Kind::Map => {}
            kind => return Err(self.mistake(right, format!("a list is needed here, and this is {kind}"))),
        }
        if let Expr::List(list) = &right.expr {
            for item in &list.elements {
                self.check_word(&of.node, item)?;
            }
        }
        let steps = of.steps.saturating_add(among.steps).saturating_add(among.items());
        Ok(Typed::new(ExprNode::In(of.boxed(), among.boxed()), Kind::Bool, steps))
    }

    fn compare(&mut self, tree: &IdedExpr, name: &str, left: &IdedExpr, right: &IdedExpr) -> Checked<Typed> {
        let first = self.typed(left)?;
        if let Some(mistake) = self.unquoted(&first, right) {
            return Err(mistake);
        }
        let second = self.typed(right)?;
        let equality = matches!(name, operators::EQUALS | operators::NOT_EQUALS);
        let ordered = |kind: &Kind| matches!(kind, Kind::Int | Kind::Text | Kind::Duration | Kind::Bool | Kind::Dyn);
        let fits = first.kind.fits(&second.kind) && (equality || ordered(&first.kind) && ordered(&second.kind));
        if !fits {
            let hint = match (&first.kind, &second.kind) {
                (Kind::Duration, Kind::Int | Kind::Text) | (Kind::Int | Kind::Text, Kind::Duration) => {
                    "; a time is written duration(\"10ms\")"
                }
                (Kind::Text, Kind::Int) if matches!(first.node, ExprNode::Field(CallField::Errno)) => {
                    "; errors have names: \"ENOENT\""
                }
                (Kind::Text, Kind::Int) | (Kind::Int, Kind::Text) => "; quotes make text of a number",
                _ => "",
            };
            return Err(self.mistake(tree, format!("{} cannot be compared with {}{hint}", first.kind, second.kind)));
        }
        if equality {
            self.check_word(&first.node, right)?;
            self.check_word(&second.node, left)?;
        }
        let bytes = if equality { first.size.max(second.size) } else { first.size.min(second.size) };
        let steps = first.steps.saturating_add(second.steps).saturating_add(bytes / BYTES_A_STEP);
        let Some(make) = comparison(name) else { return Err(self.mistake(tree, "this is not supported")) };
        Ok(Typed::new(make(first.boxed(), second.boxed()), Kind::Bool, steps))
    }

    /// A field with few words is compared only with one of them.
    fn check_word(&self, node: &ExprNode, with: &IdedExpr) -> Checked<()> {
        let (ExprNode::Field(field), Expr::Literal(LiteralValue::String(text))) = (node, &with.expr) else {
            return Ok(());
        };
        match vocabulary::word(*field, text.inner()) {
            Ok(()) => Ok(()),
            Err(explanation) => Err(self.mistake(with, explanation)),
        }
    }

    fn compute(&mut self, tree: &IdedExpr, name: &str, left: &IdedExpr, right: &IdedExpr) -> Checked<Typed> {
        let (first, second) = (self.typed(left)?, self.typed(right)?);
        let kind = if first.kind == Kind::Dyn { second.kind.clone() } else { first.kind.clone() };
        let possible = first.kind.fits(&second.kind)
            && match name {
                operators::ADD => matches!(kind, Kind::Int | Kind::Duration | Kind::Text | Kind::List(_) | Kind::Dyn),
                operators::SUBSTRACT => matches!(kind, Kind::Int | Kind::Duration | Kind::Dyn),
                _ => matches!(kind, Kind::Int | Kind::Dyn),
            };
        if !possible {
            let sign = name.trim_matches('_');
            return Err(self.mistake(tree, format!("{} {sign} {} is not possible", first.kind, second.kind)));
        }
        let (size, item) = (first.size.saturating_add(second.size), first.item.max(second.item));
        let copied = if matches!(kind, Kind::Int | Kind::Duration) { 0 } else { size / BYTES_A_STEP };
        let steps = first.steps.saturating_add(second.steps).saturating_add(copied);
        let Some(make) = arithmetic(name) else { return Err(self.mistake(tree, "this is not supported")) };
        Ok(Typed::new(make(first.boxed(), second.boxed()), kind, steps).sized(size, item))
    }

    fn each(
        &mut self,
        tree: &IdedExpr,
        name: &str,
        of: &IdedExpr,
        variable: &IdedExpr,
        body: &IdedExpr,
    ) -> Checked<Typed> {
        let Some(how) = quantifier(name) else { return Err(self.mistake(tree, "this is not supported")) };
        let of_typed = self.typed(of)?;
        let item = match &of_typed.kind {
            Kind::List(item) => (**item).clone(),
            Kind::Dyn => Kind::Dyn,
            Kind::Map => Kind::Text,
            kind => return Err(self.mistake(of, format!("{name}() goes through a list, and this is {kind}"))),
        };
        let Expr::Ident(variable_name) = &variable.expr else {
            return Err(self.mistake(variable, format!("{name}() takes a name for the elements and an expression: args.flags.{name}(flag, flag == \"O_CREAT\")")));
        };
        self.variables.push((variable_name.clone(), item.clone(), of_typed.item));
        let typed = if how == Quantifier::Map { self.typed(body) } else { self.of_kind(body, &Kind::Bool) };
        self.variables.pop();
        let typed = typed?;
        let items = of_typed.items();
        let steps = of_typed.steps.saturating_add(items.saturating_mul(typed.steps.saturating_add(1)));
        let (kind, item_size) = match how {
            Quantifier::All | Quantifier::Exists | Quantifier::ExistsOne => (Kind::Bool, 0),
            Quantifier::Filter => (Kind::List(Box::new(item)), of_typed.item),
            Quantifier::Map => (Kind::List(Box::new(typed.kind.clone())), typed.size),
        };
        let node = ExprNode::Each { how, of: of_typed.boxed(), body: typed.boxed() };
        Ok(Typed::new(node, kind, steps).sized(items, item_size))
    }

    fn function(
        &mut self,
        tree: &IdedExpr,
        target: Option<&IdedExpr>,
        name: &str,
        args: &[IdedExpr],
    ) -> Checked<Typed> {
        // size(x) and x.size() are the same, and so are matches(x, y) and x.matches(y).
        let all: Vec<&IdedExpr> = target.into_iter().chain(args).collect();
        match (name, &all[..]) {
            ("size", [of]) => {
                let typed = self.typed(of)?;
                if !matches!(typed.kind, Kind::Text | Kind::List(_) | Kind::Map | Kind::Dyn) {
                    return Err(self.mistake(of, format!("{} has no size", typed.kind)));
                }
                let steps = typed.steps.saturating_add(typed.size / BYTES_A_STEP);
                Ok(Typed::new(ExprNode::Size(typed.boxed()), Kind::Int, steps))
            }
            ("matches", [of, pattern]) => {
                let of = self.of_kind(of, &Kind::Text)?;
                let Expr::Literal(LiteralValue::String(text)) = &pattern.expr else {
                    return Err(self.mistake(
                        pattern,
                        "the regular expression must be text in quotes, because it is compiled before the run",
                    ));
                };
                let regex = RegexBuilder::new(text.inner()).size_limit(REGEX_SIZE).dfa_size_limit(REGEX_SIZE).build();
                let regex = regex.map_err(|error| self.mistake(pattern, regex_mistake(&error)))?;
                let steps = of.steps.saturating_add(of.size / REGEX_BYTES_A_STEP);
                Ok(Typed::new(ExprNode::Matches(of.boxed(), regex), Kind::Bool, steps))
            }
            ("contains" | "startsWith" | "endsWith", [of, part]) if target.is_some() => {
                let (of, part) = (self.of_kind(of, &Kind::Text)?, self.of_kind(part, &Kind::Text)?);
                let steps = of.steps.saturating_add(part.steps).saturating_add(of.size / BYTES_A_STEP);
                let make = match name {
                    "contains" => ExprNode::Contains,
                    "startsWith" => ExprNode::StartsWith,
                    _ => ExprNode::EndsWith,
                };
                Ok(Typed::new(make(of.boxed(), part.boxed()), Kind::Bool, steps))
            }
            ("int", [of]) if target.is_none() => {
                let typed = self.typed(of)?;
                if !matches!(typed.kind, Kind::Int | Kind::Text | Kind::Dyn) {
                    return Err(self.mistake(of, format!("int() takes a number or text, and this is {}", typed.kind)));
                }
                let steps = typed.steps;
                Ok(Typed::new(ExprNode::ToInt(typed.boxed()), Kind::Int, steps))
            }
            ("string", [of]) if target.is_none() => {
                let typed = self.typed(of)?;
                if !matches!(typed.kind, Kind::Int | Kind::Text | Kind::Bool | Kind::Dyn) {
                    return Err(
                        self.mistake(of, format!("string() takes a number, text or bool, and this is {}", typed.kind))
                    );
                }
                let (steps, size) = (typed.steps, typed.size.max(40));
                Ok(Typed::new(ExprNode::ToText(typed.boxed()), Kind::Text, steps).sized(size, 0))
            }
            _ => {
                const KNOWN: [&str; 13] = [
                    "all",
                    "contains",
                    "duration",
                    "endsWith",
                    "exists",
                    "exists_one",
                    "filter",
                    "has",
                    "int",
                    "map",
                    "matches",
                    "size",
                    "startsWith",
                ];
                let known = KNOWN.contains(&name);
                let explanation = if known {
                    format!("{name}() does not take these arguments")
                } else {
                    let hint = crate::did_you_mean(name, KNOWN);
                    let hint =
                        if hint.is_empty() { format!("; functions are {} and string", KNOWN.join(", ")) } else { hint };
                    format!("unknown function '{name}'{hint}")
                };
                Err(self.mistake(tree, explanation))
            }
        }
    }
}

/// The reason in words. The lines before it show the place.
fn regex_mistake(error: &regex::Error) -> String {
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
    format!("the regular expression is invalid: {reason}")
}
