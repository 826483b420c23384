"""A Stride that traces this process, and the marks between which its calls are counted.

Stride writes the calls as JSON lines to a file, through a cat(1) of its own: to a pipe Stride writes each call at once, to a file only
when it has a moment. (A pipe to us would be a trap: with the ptrace engine, Stride would wait for us to read while we wait for
Stride to let us go on.) The beginning and the end of a block are calls of this process itself, on paths that nobody
else asks for, so they lie exactly where the block begins and ends in the order of the calls, however long attaching takes.
"""

import ctypes
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

# <linux/prctl.h>
PR_SET_PDEATHSIG = 1
PR_SET_PTRACER = 0x59616D61
PR_SET_PTRACER_ANY = ctypes.c_ulong(-1)

# The calls by which os.access() asks, on this or that machine.
MARK_CALLS = ("access", "faccessat", "faccessat2")
# How long Stride may take to attach, and to write what it has seen.
PATIENCE = 30.0
NAP = 0.005

_libc = ctypes.CDLL(None, use_errno=True)


class StrideError(Exception):
    """Stride could not count."""


class StrideMissing(StrideError):
    """There is no program `stride`."""


class StrideNotPermitted(StrideError):
    """Stride may not trace this process."""


def program(named=None):
    """The path of the program `stride`: the one that was named, or else the one in PATH."""
    found = shutil.which(named or "stride")
    if found is None:
        where = "'%s' is no program" % named if named else "there is no program 'stride' in PATH"
        raise StrideMissing(
            "stride: %s, so system calls cannot be counted. Install Stride, or say where it is with --stride=PATH" % where
        )
    return found


def _end_with_parent(parent):
    """Runs in the child before Stride: Stride ends, and lets go of us, when this process is killed."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


class Tracer:
    """A running Stride that traces this process. `calls` limits what is traced to these names; None means all calls."""

    def __init__(self, stride, engine="auto", calls=None, children=True, stacks=False):
        self.calls = None if calls is None else frozenset(calls)
        self.stacks = stacks
        self._marks = 0
        self._lost = 0
        # Calls that the plugin itself makes inside an outer block: pairs of marks, and the thread.
        self._own = []
        self._read = 0
        self._rest = b""
        self._seen = []
        self._directory = tempfile.mkdtemp(prefix="pytest-stride-")
        self._out = os.path.join(self._directory, "calls")
        self._messages = open(os.path.join(self._directory, "messages"), "w+b")
        me = os.getpid()
        # (-s leaves data out that nobody looks at. Paths stay whole.)
        command = [stride, "--engine=" + engine, "-q", "--json", "-s", "0", "-o", "|exec cat >" + shlex.quote(self._out), "-e", "signal=none"]
        if self.calls is not None:
            command += ["-e", "trace=" + ",".join(sorted(self.calls | self._known_marks()))]
        command += ["-k"] if stacks else []
        command += ["-f"] if children else []
        command += ["-p", str(me)]
        # Where Yama only lets parents trace, the process itself may allow it.
        _libc.prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._messages,
                start_new_session=True,
                preexec_fn=lambda: _end_with_parent(me),
            )
        except OSError as error:
            self._forget()
            raise StrideError("stride: cannot run '%s': %s" % (stride, error.strerror)) from error
        try:
            self._await_ready()
        except BaseException:
            self.stop()
            raise
        _libc.prctl(PR_SET_PTRACER, ctypes.c_ulong(self._process.pid), 0, 0, 0)

    @staticmethod
    def _known_marks():
        # Machines without the old call access do not know its name.
        return {"faccessat", "faccessat2"} | ({"access"} if os.uname().machine == "x86_64" else set())

    def mark(self):
        """Makes a call that stands at this place in the order of calls. Returns the path that it names."""
        self._marks += 1
        path = "/proc/self/pytest-stride-%d-%d" % (id(self), self._marks)
        os.access(path, os.F_OK)
        return path

    def _await_ready(self):
        until = time.monotonic() + PATIENCE
        while True:
            mark = self.mark()
            if self._has(mark, until=time.monotonic() + 0.05):
                return
            if self._process.poll() is not None:
                self._fail()
            if time.monotonic() > until:
                raise StrideError("stride: Stride did not begin to trace within %d s.%s" % (PATIENCE, self._said()))

    def between(self, begin, end):
        """The calls that began after the mark `begin` and had returned before the mark `end`, without marks."""
        if not self._has(end, until=time.monotonic() + PATIENCE):
            if self._process.poll() is not None:
                self._fail()
            raise StrideError("stride: Stride did not write the end of the block within %d s.%s" % (PATIENCE, self._said()))
        marks = {self._path(call): call for call in self._seen if self._is_mark(call)}
        if begin not in marks:
            raise StrideError("stride: the beginning of the block was not seen.%s" % self._said())
        def inside(call, begin, end):
            after, before = marks[begin]["start_ns"] + marks[begin]["duration_ns"], marks[end]["start_ns"]
            return call["start_ns"] >= after and call["start_ns"] + call["duration_ns"] <= before

        own = [pause for pause in self._own if pause[0] in marks and pause[1] in marks]
        return [
            call
            for call in self._seen
            if not self._is_mark(call)
            and inside(call, begin, end)
            and not any(call["tid"] == thread and inside(call, start, stop) for start, stop, thread in own)
        ]

    def leave_out(self, begin, end, thread):
        """What this thread did between these marks belongs to the plugin, and is not counted for outer blocks."""
        self._own.append((begin, end, thread))

    def lost(self):
        """How many calls Stride says it has lost."""
        return self._lost

    def stop(self):
        """Lets go of this process, and removes what was written. Stride is gone afterwards."""
        try:
            if self._process.poll() is None:
                self._process.send_signal(signal.SIGINT)
                try:
                    self._process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
        finally:
            _libc.prctl(PR_SET_PTRACER, ctypes.c_ulong(0), 0, 0, 0)
            self._forget()

    def _forget(self):
        self._messages.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    @staticmethod
    def _path(call):
        return call.get("path") or call.get("args", {}).get("pathname", {}).get("text", "")

    def _is_mark(self, call):
        return call["name"] in MARK_CALLS and "/pytest-stride-%d-" % id(self) in self._path(call)

    def _has(self, mark, until):
        """Reads what Stride has written until the mark is there, or the time is over."""
        while True:
            self._more()
            if any(self._is_mark(call) and self._path(call) == mark for call in reversed(self._seen)):
                return True
            if time.monotonic() > until or self._process.poll() is not None:
                return False
            time.sleep(NAP)

    def _more(self):
        try:
            with open(self._out, "rb") as out:
                out.seek(self._read)
                new = out.read()
        except FileNotFoundError:
            return
        self._read += len(new)
        lines = (self._rest + new).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            what = json.loads(line.decode("utf-8", "replace"))
            if what["type"] == "lost":
                self._lost += what["calls"]
            elif what["type"] == "call" and what.get("outcome") in ("ok", "error") and "duration_ns" in what:
                self._seen.append(what)

    def _said(self):
        self._messages.seek(0)
        text = self._messages.read().decode("utf-8", "replace").strip()
        return " It said: " + text if text else ""

    def _fail(self):
        said = self._said()
        kind = StrideNotPermitted if "not permitted" in said.lower() or "denied" in said.lower() else StrideError
        hint = " `stride --doctor` tells what this machine allows." if kind is StrideNotPermitted else ""
        raise kind("stride: Stride ended with status %s instead of tracing this process.%s%s" % (self._process.returncode, said, hint))
