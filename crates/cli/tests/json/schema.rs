//! Objects that fit the published schema, and searches among them.

use crate::common::root;
use serde_json::{Map, Value};
use std::sync::LazyLock;

pub static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let path = root().join("docs/json.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::meta::validate(&schema).unwrap_or_else(|e| panic!("the schema is none: {e}"));
    jsonschema::validator_for(&schema).unwrap_or_else(|e| panic!("{e}"))
});

/// The objects of an output. The output must be complete.
#[track_caller]
pub fn objects(output: &str) -> Vec<Value> {
    let objects: Vec<Value> = output
        .lines()
        .map(|line| {
            let object: Unique = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            object.0
        })
        .collect();
    let kinds: Vec<&str> = objects.iter().map(|object| object["type"].as_str().unwrap_or_default()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"trace"), Some(&"end")), "{output}");
    assert!(!kinds[1..kinds.len() - 1].iter().any(|kind| matches!(*kind, "trace" | "end")), "{output}");
    objects
}

/// The objects of an output, checked against the schema.
#[track_caller]
pub fn valid(output: &str) -> Vec<Value> {
    let objects = objects(output);
    for object in &objects {
        if let Some(error) = SCHEMA.iter_errors(object).next() {
            panic!("{}: {error}\n{object}", error.instance_path());
        }
    }
    objects
}

/// A value in which no object has two members of the same name. serde_json would accept them.
pub struct Unique(pub Value);

impl<'de> serde::Deserialize<'de> for Unique {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Unique, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Unique;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("JSON")
            }

            fn visit_bool<E>(self, v: bool) -> Result<Unique, E> {
                Ok(Unique(v.into()))
            }

            fn visit_i64<E>(self, v: i64) -> Result<Unique, E> {
                Ok(Unique(v.into()))
            }

            fn visit_u64<E>(self, v: u64) -> Result<Unique, E> {
                Ok(Unique(v.into()))
            }

            fn visit_f64<E>(self, v: f64) -> Result<Unique, E> {
                Ok(Unique(v.into()))
            }

            fn visit_str<E>(self, v: &str) -> Result<Unique, E> {
                Ok(Unique(v.into()))
            }

            fn visit_unit<E>(self) -> Result<Unique, E> {
                Ok(Unique(Value::Null))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut from: A) -> Result<Unique, A::Error> {
                let mut items = Vec::new();
                while let Some(Unique(item)) = from.next_element()? {
                    items.push(item);
                }
                Ok(Unique(Value::Array(items)))
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut from: A) -> Result<Unique, A::Error> {
                let mut members = Map::new();
                while let Some((name, Unique(value))) = from.next_entry::<String, Unique>()? {
                    if members.insert(name.clone(), value).is_some() {
                        return Err(serde::de::Error::custom(format!("{name} is there twice")));
                    }
                }
                Ok(Unique(Value::Object(members)))
            }
        }
        from.deserialize_any(Visitor)
    }
}

pub fn calls<'o>(objects: &'o [Value], name: &str) -> Vec<&'o Value> {
    objects.iter().filter(|object| object["type"] == "call" && object["name"] == name).collect()
}

/// The stat call on an open file, under either name.
pub fn stat(objects: &[Value]) -> &Value {
    let all = calls(objects, "newfstatat").into_iter().chain(calls(objects, "fstat"));
    all.into_iter().find(|call| call["outcome"] == "ok").unwrap()
}

pub fn of_type<'o>(objects: &'o [Value], kind: &str) -> Vec<&'o Value> {
    objects.iter().filter(|object| object["type"] == kind).collect()
}

#[track_caller]
pub fn only(found: Vec<&Value>) -> &Value {
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0]
}
