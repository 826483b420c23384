//! The architecture's invariants: dependencies point one way, only engines contain unsafe code, values have no
//! punctuation, documents name what is there, and licences of dependencies ask for no more than a notice.

mod circles;
mod documents;
mod layers;
mod licences;
mod names;
mod source;
mod types;
mod values;

use anyhow::{Result, ensure};
use std::fs;
use std::path::Path;

pub fn run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = Vec::new();
    let layers = layers::read(&root)?;
    let mut crates = 0;
    for entry in fs::read_dir(root.join("crates"))? {
        let dir = entry?.path();
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        crates += 1;
        layers.check(&dir, &name, &mut wrong)?;
        circles::check(&dir, &name, &mut wrong)?;
        names::check(&dir, &name, &mut wrong)?;
        values::check(&dir, &name, &mut wrong)?;
        if !name.starts_with("engine-") {
            no_unsafe(&dir.join("src"), &mut wrong)?;
        }
    }
    types::check(&root.join("crates"), &mut wrong)?;
    documents::check(&root, &mut wrong)?;
    licences::check(&root, &mut wrong)?;
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!(
        "{crates} crates: dependencies point one way, unsafe stays in the engines, facts about syscalls on their rows, a name is one type's, decoded values have no punctuation, documents name what is there, licences ask for no more than a notice"
    );
    Ok(())
}

fn no_unsafe(dir: &Path, wrong: &mut Vec<String>) -> Result<()> {
    for file in source::files(dir)? {
        let text = fs::read_to_string(&file)?;
        for (i, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "allow(unsafe_code)"]
                .iter()
                .any(|u| code.contains(u))
            {
                wrong.push(format!("{}:{}: unsafe code outside the engines", file.display(), i + 1));
            }
        }
    }
    Ok(())
}
