# Generated from the option table by `cargo xtask docs`; change it there.
_stride() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i
  COMPREPLY=()
  # bash splits --name=value into three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  # From the first operand on, the words are those of the command.
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
    -e|--argv0|-E|--env|-p|--attach|-u|--user|-b|--detach-on|--engine|-I|--interruptible|--on-overflow|--record|--replay|--ring-size|-P|--trace-path|--signal|--status|--trace|--trace-fds|-a|--columns|--abbrev|--color|--decode-pids|--html|-o|--output|--perfetto|--raw|--read|-s|--string-limit|--verbose|--write|-X|--const-print-style|--budget|--budget-write|--by|--diff|--explain|-O|--summary-syscall-overhead|-S|--summary-sort-by|-U|--summary-columns|--syscall-limit|--generate) [[ ${COMP_WORDS[i+1]} == = ]] && ((i++)); ((i++)) ;;
    -*|=) ;;
    *)
      if [[ ${COMP_WORDS[i-1]} != = ]]; then
        declare -F _command_offset >/dev/null && _command_offset "$i"
        return
      fi ;;
    esac
  done
  case $prev in
    -e) COMPREPLY=(); return ;;
    --argv0) COMPREPLY=(); return ;;
    -E|--env) COMPREPLY=(); return ;;
    -p|--attach) COMPREPLY=($(compgen -W "$(ps -eo pid=)" -- "$cur")); return ;;
    -u|--user) COMPREPLY=($(compgen -u -- "$cur")); return ;;
    -b|--detach-on) COMPREPLY=($(compgen -W 'execve' -- "$cur")); return ;;
    --daemonize) COMPREPLY=($(compgen -W 'grandchild pgroup pgrp session' -- "$cur")); return ;;
    --engine) COMPREPLY=($(compgen -W 'auto ebpf ptrace' -- "$cur")); return ;;
    -I|--interruptible) COMPREPLY=($(compgen -W 'anywhere waiting never never_tstp' -- "$cur")); return ;;
    --on-overflow) COMPREPLY=($(compgen -W 'drop wait' -- "$cur")); return ;;
    --record) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --replay) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --ring-size) COMPREPLY=(); return ;;
    -P|--trace-path) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --signal) COMPREPLY=(); return ;;
    --status) COMPREPLY=($(compgen -W 'all detached failed none successful unavailable unfinished' -- "$cur")); return ;;
    --trace) COMPREPLY=(); return ;;
    --trace-fds) COMPREPLY=(); return ;;
    -a|--columns) COMPREPLY=(); return ;;
    --abbrev) COMPREPLY=(); return ;;
    --absolute-timestamps) COMPREPLY=($(compgen -W 'none time unix ms ns s us' -- "$cur")); return ;;
    --color) COMPREPLY=($(compgen -W 'always auto never' -- "$cur")); return ;;
    --decode-fds) COMPREPLY=($(compgen -W 'all dev eventfd none path pidfd signalfd socket' -- "$cur")); return ;;
    --decode-pids) COMPREPLY=($(compgen -W 'all comm none pidns' -- "$cur")); return ;;
    --html) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    -o|--output) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --perfetto) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --quiet) COMPREPLY=($(compgen -W 'all attach exit held none path-resolution personality thread-execve' -- "$cur")); return ;;
    --relative-timestamps) COMPREPLY=($(compgen -W 'ms ns s us' -- "$cur")); return ;;
    --raw) COMPREPLY=(); return ;;
    --read) COMPREPLY=(); return ;;
    -s|--string-limit) COMPREPLY=(); return ;;
    --strings-in-hex) COMPREPLY=($(compgen -W 'all non-ascii non-ascii-chars none' -- "$cur")); return ;;
    --syscall-times) COMPREPLY=($(compgen -W 'ms ns s us' -- "$cur")); return ;;
    --verbose) COMPREPLY=(); return ;;
    --write) COMPREPLY=(); return ;;
    -X|--const-print-style) COMPREPLY=($(compgen -W 'abbrev raw verbose' -- "$cur")); return ;;
    --budget) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --budget-write) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --by) COMPREPLY=($(compgen -W 'syscall path directory fd errno pid tid comm size peer' -- "$cur")); return ;;
    --diff) COMPREPLY=(); return ;;
    --explain) COMPREPLY=(); return ;;
    -O|--summary-syscall-overhead) COMPREPLY=(); return ;;
    -S|--summary-sort-by) COMPREPLY=($(compgen -W 'avg-time bytes calls errors max-time min-time name none p50 p99 time total-time wall-avg wall-max wall-min wall-total' -- "$cur")); return ;;
    -U|--summary-columns) COMPREPLY=(); return ;;
    --syscall-limit) COMPREPLY=(); return ;;
    --generate) COMPREPLY=($(compgen -W 'complete-bash complete-fish complete-zsh json-schema man' -- "$cur")); return ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '-e --argv0 -E --env -p --attach -u --user -b --detach-on -D --daemonize --engine -f --follow-forks -I --interruptible --kill-on-exit --on-overflow --record --replay --ring-size -P --trace-path --signal --status --trace --trace-fds -z --successful-only -Z --failed-only -a --columns -A --output-append-mode --abbrev --absolute-timestamps --always-show-pid --color --decode-fds --decode-pids --html -i --instruction-pointer --json -n --syscall-number -N --arg-names -o --output --output-separately --perfetto --pidns-translation -q --quiet -r --relative-timestamps --raw --read -s --string-limit --strings-in-hex -t -T --syscall-times -v --no-abbrev --verbose --write -x -X --const-print-style -y -Y --advise --budget --budget-write --by -c --summary-only -C --summary --diff --explain -O --summary-syscall-overhead -S --summary-sort-by -U --summary-columns -w --summary-wall-clock --syscall-limit -d --debug --doctor -F --generate -h --help --seccomp-bpf -V --version' -- "$cur"))
  else
    COMPREPLY=($(compgen -c -- "$cur"))
  fi
}
complete -F _stride stride
