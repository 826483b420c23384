//! For bash, whose completion works on words.

use super::{Kind, kind, offered, takes_argument};
use std::fmt::Write;

pub fn script() -> String {
    let mut options = Vec::new();
    let mut cases = String::new();
    let mut with_argument = Vec::new();
    for flag in offered() {
        let names: Vec<String> =
            flag.short.map(|c| format!("-{c}")).into_iter().chain(flag.long.map(|l| format!("--{l}"))).collect();
        options.extend(names.iter().cloned());
        let Some(kind) = kind(flag) else { continue };
        if takes_argument(flag) {
            with_argument.extend(names.iter().cloned());
        }
        // After a short option that only the long spelling takes an argument for, a new word begins.
        let patterns: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| takes_argument(flag) || name.starts_with("--")).collect();
        let command = match kind {
            Kind::Words(words) => format!("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))", words.join(" ")),
            Kind::File => "COMPREPLY=($(compgen -f -- \"$cur\"))".into(),
            Kind::Pid => "COMPREPLY=($(compgen -W \"$(ps -eo pid=)\" -- \"$cur\"))".into(),
            Kind::User => "COMPREPLY=($(compgen -u -- \"$cur\"))".into(),
            Kind::Other => "COMPREPLY=()".into(),
        };
        let _ = writeln!(cases, "    {}) {command}; return ;;", patterns.join("|"));
    }
    format!(
        r#"# Generated from the option table by `cargo xtask docs`; change it there.
_stride() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} i
  COMPREPLY=()
  # bash splits --name=value into three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  # From the first operand on, the words are those of the command.
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
    {with_argument}) [[ ${{COMP_WORDS[i+1]}} == = ]] && ((i++)); ((i++)) ;;
    -*|=) ;;
    *)
      if [[ ${{COMP_WORDS[i-1]}} != = ]]; then
        declare -F _command_offset >/dev/null && _command_offset "$i"
        return
      fi ;;
    esac
  done
  case $prev in
{cases}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '{options}' -- "$cur"))
  else
    COMPREPLY=($(compgen -c -- "$cur"))
  fi
}}
complete -F _stride stride
"#,
        with_argument = with_argument.join("|"),
        options = options.join(" "),
    )
}
