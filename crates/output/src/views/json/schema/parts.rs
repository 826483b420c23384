//! The building blocks of JSON Schema.

pub fn one_line(schema: &str) -> String {
    schema.lines().map(str::trim).collect()
}

pub fn reference(name: &str) -> String {
    format!(r##"{{"$ref":"#/$defs/{name}"}}"##)
}

pub fn when(properties: &str, then: &str) -> String {
    format!(r#"{{"if":{{"properties":{{{properties}}}}},"then":{then}}}"#)
}

pub fn quoted<'s>(names: impl Iterator<Item = &'s str>) -> String {
    names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",")
}

pub fn enumeration<'s>(names: impl Iterator<Item = &'s str>) -> String {
    format!(r#"{{"enum":[{}]}}"#, quoted(names))
}

/// Any of these schemas. If one allows any value, so does the whole.
pub fn any_of(schemas: impl IntoIterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for schema in schemas {
        if !distinct.contains(&schema) {
            distinct.push(schema);
        }
    }
    let value = reference("value");
    match &distinct[..] {
        _ if distinct.contains(&value) => value,
        [only] => only.clone(),
        several => format!(r#"{{"anyOf":[{}]}}"#, several.join(",")),
    }
}

pub fn object(members: &[(String, String)], required: &[&str]) -> String {
    let members: Vec<String> = members.iter().map(|(name, schema)| format!("\"{name}\":{schema}")).collect();
    let required = match required {
        [] => String::new(),
        names => format!(r#","required":[{}]"#, quoted(names.iter().copied())),
    };
    format!(r#"{{"type":"object","properties":{{{}}}{required},"additionalProperties":false}}"#, members.join(","))
}
