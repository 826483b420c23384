"""What tests use: `stride.budget(openat=66)` and `stride.count("openat")`."""

import threading

from .origin import Origins
from .tracer import StrideError, Tracer, program

# The most lines that tell where calls come from, for each limit.
MOST = 5


class BudgetExceeded(AssertionError):
    """A block made more system calls than its budget allows."""


class Stride:
    """Counts the system calls of this process. One Stride traces at a time; blocks inside of blocks share it."""

    def __init__(self, path=None, engine="auto", stacks=False):
        self.path = path
        self.engine = engine
        self.stacks = stacks
        self._tracer = None
        self._users = 0

    def budget(self, limits=None, scope="process", **calls):
        """A block that may make at most so many calls: `with stride.budget(openat=66, total=500):`.

        A limit is the name of a system call, `total`, or, in the dictionary, `errors.NAME` or `errors.total` for those that fail.
        A limit of None only counts. `scope` is "process" (all threads, and the processes that the block starts) or "thread".
        """
        limits = dict(limits or {}, **calls)
        if not limits:
            raise ValueError("stride.budget() needs a limit, such as openat=66 or total=500")
        for name, limit in limits.items():
            if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
                raise ValueError("stride.budget(): the limit of %s is %r, but has to be a number of calls, or None" % (name, limit))
        return Block(self, limits, scope)

    def count(self, *names, scope="process"):
        """A block whose calls are counted: `with stride.count("openat") as calls: ...; assert calls["openat"] < 3`.

        Without names, all calls are counted.
        """
        return Block(self, {name: None for name in names or ("total",)}, scope)

    def _enter(self, calls):
        if self._tracer is None:
            self._tracer = Tracer(program(self.path), self.engine, calls, stacks=self.stacks)
        elif self._tracer.calls is not None and (calls is None or not calls <= self._tracer.calls):
            wanted = "all calls" if calls is None else ", ".join(sorted(calls - self._tracer.calls))
            raise StrideError(
                "stride: a block inside of another one wants to count %s, which the outer block does not count: name them "
                "there, too, such as stride.budget(openat=66, read=None)" % wanted
            )
        self._users += 1
        return self._tracer

    def _leave(self):
        self._users -= 1
        if self._users == 0:
            tracer, self._tracer = self._tracer, None
            tracer.stop()


def _metric(limit):
    """The call that a limit is about, None for all, and whether only failures count."""
    failures = limit.startswith("errors.")
    name = limit[len("errors."):] if failures else limit
    return (None if name == "total" else name), failures


class Block:
    """A block of code whose calls are counted. After it, `block["openat"]` is the number of calls, `block.calls` are the calls."""

    def __init__(self, stride, limits, scope):
        if scope not in ("process", "thread"):
            raise ValueError("stride: scope is %r, but has to be \"process\" or \"thread\"" % (scope,))
        self.limits = limits
        self.scope = scope
        self.calls = None
        self._stride = stride
        self._origins = Origins()

    def __enter__(self):
        names = {_metric(limit)[0] for limit in self.limits}
        outer = self._stride._tracer
        pause = outer.mark() if outer else None
        self._thread = threading.get_native_id()
        self._tracer = self._stride._enter(None if None in names else names)
        self._origins.start()
        self._begin = self._tracer.mark()
        if pause:
            self._tracer.leave_out(pause, self._begin, self._thread)
        return self

    def __exit__(self, kind, error, trace):
        # A broken budget is shown at the block, not here.
        __tracebackhide__ = True
        end = self._tracer.mark()
        self._origins.stop()
        try:
            calls = self._tracer.between(self._begin, end)
            lost = self._tracer.lost()
            self._tracer.leave_out(end, self._tracer.mark(), self._thread)
        except StrideError:
            # An exception in the block matters more than a failure of Stride.
            if kind is not None:
                return False
            raise
        finally:
            self._stride._leave()
        self.calls = [call for call in calls if self.scope == "process" or call["tid"] == self._thread]
        if kind is not None:
            return False
        broken = [self._told(limit, most) for limit, most in self.limits.items() if most is not None and self[limit] > most]
        if broken:
            raise BudgetExceeded("\n".join(broken))
        if lost:
            raise StrideError("stride: %d calls were lost, so the budget cannot be checked; count fewer kinds of calls" % lost)
        return False

    def _those(self, limit):
        if self.calls is None:
            raise StrideError("stride: the calls of a block are known when it has ended without an error of Stride")
        name, failures = _metric(limit)
        return [
            call
            for call in self.calls
            if (name is None or call["name"] == name) and (not failures or call["outcome"] == "error")
        ]

    def __getitem__(self, limit):
        name, _ = _metric(limit)
        traced = {_metric(known)[0] for known in self.limits}
        if None not in traced and name not in traced:
            raise KeyError("stride: this block does not count %s; it counts %s" % (limit, ", ".join(sorted(self.limits))))
        return len(self._those(limit))

    def _told(self, limit, most):
        calls = self._those(limit)
        name, failures = _metric(limit)
        what = "calls" if name is None else name
        lines = ["stride: %s%s: %d, but the budget is %d" % ("failed " if failures else "", what, len(calls), most)]
        groups = {}
        for call in calls:
            key = (call["name"] if name is None else "", _subject(call), self._caller(call))
            groups[key] = groups.get(key, 0) + 1
        order = sorted(groups, key=lambda key: (-groups[key], key[0], key[1], key[2] or ""))
        for key in order[:MOST]:
            about = " ".join(part for part in key[:2] if part) or "(about no file)"
            lines.append("  %6d  %s%s" % (groups[key], about, "  from " + key[2] if key[2] else ""))
        rest = sum(groups[key] for key in order[MOST:])
        if rest:
            lines.append("  %6d  others" % rest)
        return "\n".join(lines)

    def _caller(self, call):
        return _python_function(call) or self._origins.of(_path(call)) or None


def _path(call):
    path = call.get("path")
    if path:
        return path
    for value in call.get("args", {}).values():
        if isinstance(value, dict) and "fd" in value:
            return value.get("path") or value.get("object") or ""
    return ""


def _subject(call):
    """The file or socket that a call is about. Names come from outside, so what could drive a terminal is escaped."""
    path = _path(call)
    return path if path.isprintable() else ascii(path)


def _python_function(call):
    """The innermost Python function of a call's stack, if the interpreter names its functions there (Python 3.12 and later)."""
    for frame in call.get("stack", ()):
        symbol = frame.get("symbol", "")
        if symbol.startswith("py::"):
            function, _, file = symbol[len("py::"):].partition(":")
            return "%s (%s)" % (file or "?", function)
    return None
