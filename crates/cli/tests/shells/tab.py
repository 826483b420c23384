"""Types into an interactive shell and presses Tab. usage: tab.py SHELL SCRIPT LINE...

SCRIPT is the file with the completion; for zsh, the directory that it is in.
For each LINE, prints a line of JSON: the command line as it is afterwards, and what the shell showed below it.
"""
import json, os, pty, re, select, struct, sys, termios, fcntl, time

shell, script, lines = sys.argv[1], sys.argv[2], sys.argv[3:]
setup = {
    # A key that shows the line, so that it need not be guessed from what the terminal shows.
    "bash": "source {}; bind 'set show-all-if-ambiguous on' 'set completion-query-items 0' 'set page-completions off';"
    " bind -x '\"\\C-xp\": printf \"\\n<line %s>\\n\" \"$READLINE_LINE|\"'",
    "zsh": "fpath=({} $fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=100000; setopt no_beep"
    " no_list_ambiguous; show() {{ print -rn $'\\n'\"<line $BUFFER|>\"$'\\n' }}; zle -N show; bindkey '^Xp' show",
}[shell].format(script)
command = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}[shell]

pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", PS1="$ ", HISTFILE="/dev/null", LC_ALL="C.UTF-8")
    os.execvp(command[0], command)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 1000, 200, 0, 0))


def until(pattern, seconds=20):
    seen, end = "", time.monotonic() + seconds
    while not re.search(pattern, seen):
        ready, _, _ = select.select([fd], [], [], max(0, end - time.monotonic()))
        if not ready:
            sys.exit(f"{shell}: no {pattern!r} in {seen[-2000:]!r}")
        seen += os.read(fd, 65536).decode(errors="replace")
    return seen


def send(text):
    os.write(fd, text.encode())


send(setup + "; echo rea''dy\r")
until(r"ready\r?\n.*[$%#] ")
for line in lines:
    send(line + "\t\x18p")
    seen = until(r"<line .*\|>")
    shown, after = re.search(r"(?s)(.*)<line (.*)\|>", seen).groups()
    print(json.dumps({"line": after, "shown": shown}))
    # Drops the line.
    send("\x15\x0b\recho nex''t\r")
    until(r"next\r?\n.*[$%#] ")
