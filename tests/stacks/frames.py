"""Makes calls from many kinds of Python frames. Each call `os.stat("/stride-mark/N")` is made by `mark`. At the end, the file that is named by the
first argument gets a line for each: the number, and the frames that led to `mark`, as Python itself knows them. The second argument is the trace, for
which the program waits: Stride has to know the program first."""

import functools
import os
import signal
import sys
import threading
import time

marks = []


# The names that this program has given to tasks.
names = {}


def described(frame, beginning=""):
    code = frame.f_code
    name = getattr(code, "co_qualname", code.co_name)
    return "%s%s\t%s\t%d" % (beginning, name, code.co_filename, frame.f_lineno or 0)


def running_task():
    """The task of this thread, if Python tells which tasks wait for it."""
    asyncio = sys.modules.get("asyncio")
    if not hasattr(asyncio, "capture_call_graph"):
        return None
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def waiting_for(task):
    """The frames of the tasks that wait, by asyncio's own account."""
    import asyncio
    frames = []
    waiting = asyncio.capture_call_graph(task).awaited_by
    while waiting:
        if len(waiting) > 1:
            frames.append("[awaited by %d tasks]\t\t0" % len(waiting))
            break
        if isinstance(waiting[0].future, asyncio.Task):
            name = names.get(waiting[0].future)
            frames.append("[awaited by %s]\t\t0" % ("the task " + name if name else "a task"))
            frames += [described(entry.frame, "await ") for entry in waiting[0].call_stack]
        waiting = waiting[0].awaited_by
    return frames


def mark():
    frame = sys._getframe(1)
    frames = []
    task = running_task()
    outermost = task and task.get_coro().cr_frame
    while frame:
        frames.append(described(frame))
        if frame is outermost:
            frames += waiting_for(task)
        frame = frame.f_back
    marks.append(frames)
    # Threads take turns, so this is the number of these frames.
    try:
        os.stat("/stride-mark/%d" % (len(marks) - 1))
    except OSError:
        pass


def recursion(depth):
    if depth:
        recursion(depth - 1)
    else:
        mark()


def generator(depth):
    mark()
    if depth:
        yield from generator(depth - 1)
    yield 1
    mark()


class Class:

    def __init__(self):
        mark()

    def __lt__(self, other):
        mark()
        return False

    def __del__(self):
        mark()

    @property
    def attribute(self):
        mark()
        return 1

    @staticmethod
    def static():
        return (lambda:
                mark())()


def exceptions():
    try:
        try:
            raise ValueError(1)
        finally:
            mark()
    except ValueError:
        mark()
        try:
            [][1]
        except IndexError:
            mark()


def called_back():
    class Local:
        mark()

    sorted([3, 1, 2], key=lambda n: mark() or n)
    sorted([Class(), Class()])
    functools.reduce(lambda a, b: mark() or a, [1, 2, 3])
    list(map(functools.partial(lambda a, b: mark(), 1), [1, 2]))
    [mark() for _ in range(2)]
    {n: mark() for n in range(2)}
    Class().attribute
    Class.static()
    max([1, 2], key=lambda n: recursion(3) or n)
    try:
        import ctypes
    except ImportError:
        return
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda a, b: mark() or 0)
    values = (ctypes.c_int * 2)(2, 1)
    ctypes.CDLL(None).qsort(values, ctypes.c_size_t(2), ctypes.c_size_t(4), compare)


def with_expressions():
    import re
    re.sub("b+", lambda found: mark() or found.group(), "abbaba")
    re.compile("(a)").subn(functools.partial(lambda n, found: recursion(n) or "", 2), "aab")
    [3, 1, 2].sort(key=lambda n: re.sub("1", lambda _: mark() or "", str(n)))


class Specialised:

    def __init__(self, is_marked):
        if is_marked:
            mark()
        self.is_marked = is_marked

    @property
    def attribute(self):
        return mark() if self.is_marked else None

    def __getattr__(self, name):
        return mark() if self.is_marked else None

    def __getitem__(self, index):
        return mark() if self.is_marked else None

    def __iter__(self):
        for n in range(2):
            if self.is_marked:
                mark()
            yield n


def specialised():
    """The interpreter runs code in other ways when it has run some times."""
    for n in range(150):
        one = Specialised(n >= 148)
        one.attribute
        one.other
        one[0]
        for _ in one:
            pass


def traced():
    """Functions that Python itself calls at other functions."""
    calls = []

    def at_event(frame, event, arg):
        if frame.f_code is recursion.__code__ and len(calls) < 6:
            calls.append(event)
            mark()
        return at_event

    sys.setprofile(at_event)
    recursion(1)
    sys.setprofile(None)
    calls.clear()
    sys.settrace(at_event)
    recursion(1)
    sys.settrace(None)


class Meta(type):

    def __new__(kind, name, bases, members):
        mark()
        return super().__new__(kind, name, bases, members)

    def __call__(self, *arguments):
        mark()
        return super().__call__(*arguments)

    def __instancecheck__(self, instance):
        return mark() or False


class Descriptor:

    def __set_name__(self, owner, name):
        mark()

    def __get__(self, instance, owner):
        return mark()

    def __set__(self, instance, value):
        mark()


def kinds_of_classes():
    class Made(Class, metaclass=Meta):
        member = Descriptor()

        def __getattribute__(self, name):
            mark()
            return super().__getattribute__(name)

        def __reduce__(self):
            mark()
            return recursion, (1,)

        def __hash__(self):
            return mark() or 1

        def __eq__(self, other):
            return mark() or True

        def __call__(self):
            mark()

        def __init_subclass__(cls):
            mark()

    class Derived(Made):
        pass

    made = Made()
    made.member
    made.member = 1
    made()
    isinstance(1, Made)
    {made: 1}[made]
    made in [made, 1]
    import pickle
    pickle.loads(pickle.dumps(Derived()))


def with_extensions():
    """C code of extensions calls back."""
    import contextlib
    import contextvars
    import itertools
    import json
    import weakref
    contextvars.copy_context().run(recursion, 2)
    one = Specialised(False)
    reference = weakref.ref(one, lambda _: mark())
    del one
    list(itertools.accumulate([1, 2, 3], lambda a, b: mark() or a))
    json.loads('{"a": [1]}', object_hook=lambda found: mark() or found)
    functools.lru_cache(lambda n: recursion(n))(1)

    @contextlib.contextmanager
    def managed():
        mark()
        yield
        mark()

    with managed(), contextlib.suppress(ZeroDivisionError):
        mark()
        1 / 0
    try:
        import sqlite3
    except ImportError:
        return
    connection = sqlite3.connect(":memory:")
    connection.create_function("called", 1, lambda n: mark() or n)
    connection.create_collation("compared", lambda a, b: mark() or 0)
    connection.execute("select called(n) from (select 1 as n union select 2)").fetchall()
    connection.execute("select n from (select 'a' as n union all select 'b') order by n collate compared").fetchall()
    connection.close()


def modules():
    """Modules that are read, and run by the loader."""
    import importlib
    import tempfile
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "stride_module.py"), "w") as module:
            module.write("import sys\nmark = sys.modules['__main__'].mark\nmark()\n\ndef f():\n    mark()\n\nf()\n")
        sys.path.insert(0, directory)
        sys.dont_write_bytecode = True
        module = importlib.import_module("stride_module")
        importlib.reload(module)
        module.f()
        sys.path.remove(directory)


def many_exceptions():
    """Exceptions in exceptions, and frames that these keep."""
    def fails(depth):
        try:
            if depth:
                return fails(depth - 1)
            raise ValueError(depth)
        except ValueError as error:
            mark()
            raise KeyError(depth) from error
        finally:
            mark()

    kept = []
    for _ in range(3):
        try:
            fails(2)
        except KeyError as error:
            kept.append(error)
            mark()
    try:
        sys.setrecursionlimit(sys.getrecursionlimit())
        list(map(lambda error: error.__traceback__.tb_frame.clear(), kept))
    except RuntimeError:
        mark()


def over_lines():
    functools.partial(
        max,
        [
            1,
            2,
        ],
        key=lambda n: (
            n,
            mark(),

            mark(),
        )[0],
    )(

    )


def made():
    """Code that goes, and other code takes its place in memory."""
    for i in range(40):
        exec(compile("\n" * (i % 7) + "mark()\n", "<made %d>" % (i % 3), "exec"), globals())
        exec(compile("def f%d():\n%s  mark()\nf%d()" % (i, "\n" * (i % 5), i), "<made>", "exec"), globals())
        exec("x = 1\nmark()" if i % 2 else "x = 1;\n\nmark()", globals())
        eval("mark()")
        del globals()["f%d" % i]
    for name in ["größe", "函数", "𐍈"]:
        exec(compile("def %s():\n  mark()\n%s()" % (name, name), "<%s \U0001f600>" % name, "exec"), globals())


def reused():
    """Code whose names, sizes and number of lines are those of the code before, which is gone."""
    for i in range(120):
        name = ["one", "two", "six"][i % 3]
        lines = ["  x = 1", "", "  x = 1", ""]
        lines.insert(i % 5, "  mark()")
        exec(compile("\n" * (i % 2) + "def %s():\n%s\n%s()" % (name, "\n".join(lines), name), "<reused %d>" % (i % 2), "exec"), {"mark": mark})


def long_lines():
    exec(compile("def far():\n" + "  x = 1\n" * 3000 + "  mark()\nfar()", "<long>", "exec"), globals())
    exec(compile("def far():\n" + "\n" * 70000 + "  mark()\nfar()", "<longer>", "exec"), globals())


async def awaited(depth):
    if depth:
        await awaited(depth - 1)
    mark()


async def asynchronous():
    import asyncio
    mark()
    await awaited(3)
    await asyncio.gather(awaited(1), awaited(2))
    async for n in asynchronous_generator():
        mark()


async def asynchronous_generator():
    mark()
    yield 1
    await awaited(1)
    yield 2


class Entered:

    async def __aenter__(self):
        await awaited(1)

    async def __aexit__(self, *_):
        mark()


async def waits(event):
    await event.wait()
    await awaited(2)


async def raises():
    try:
        await awaited(1)
        raise ValueError(1)
    finally:
        mark()


async def echoes():
    sent = 0
    try:
        while True:
            sent = yield sent
            mark()
    finally:
        mark()


async def woken():
    """Tasks that the loop goes on with."""
    import asyncio
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    task = asyncio.ensure_future(waits(event))
    await asyncio.sleep(0.002)
    mark()
    loop.call_later(0.002, lambda: mark() or event.set())
    await asyncio.wait_for(task, 10)
    await asyncio.gather(*[awaited(depth) for depth in range(4)], raises(), return_exceptions=True)
    await asyncio.shield(asyncio.ensure_future(awaited(30)))
    async with Entered():
        await awaited(1)
    [n async for n in asynchronous_generator()]
    generator = echoes()
    for n in [None, 1, 2]:
        await generator.asend(n)
    await generator.aclose()
    await loop.run_in_executor(None, recursion, 2)
    loop.call_soon(mark)
    loop.add_signal_handler(signal.SIGUSR2, recursion, 1)
    signal.pthread_kill(threading.get_ident(), signal.SIGUSR2)
    future = loop.create_future()
    loop.call_soon_threadsafe(future.set_result, 1)
    future.add_done_callback(lambda _: mark())
    await future
    await asyncio.sleep(0.002)


async def slowly(depth):
    """Others wait for this by then."""
    import asyncio
    await asyncio.sleep(0)
    await awaited(depth)


def seen():
    """Waits until the trace has the latest call: Stride reads code that is too much to be copied with a stack a moment later."""
    latest = '/stride-mark/%d"' % (len(marks) - 1)
    for _ in range(1000):
        try:
            os.stat("/stride-end")
        except OSError:
            pass
        with open(sys.argv[2], encoding="utf-8", errors="replace") as trace:
            if latest in trace.read():
                return
        time.sleep(0.01)


async def stands_between(awaitable):
    return await awaitable


def named(coroutine, name):
    import asyncio
    task = asyncio.ensure_future(coroutine)
    task.set_name(name)
    names[task] = name
    return task


async def chain(length):
    """Each task waits for the next one."""
    import asyncio
    if not length:
        await slowly(2)
        return
    task = asyncio.ensure_future(chain(length - 1))
    if length == 2:
        # (So the name is a text, and no longer a number.)
        task.get_name()
    await stands_between(task)


async def in_group():
    import asyncio
    async with asyncio.TaskGroup() as group:
        group.create_task(slowly(1))
        group.create_task(chain(1))
        names[group.create_task(slowly(0), name="in group")] = "in group"
    mark()


async def one_for_many(task):
    await asyncio_wait(task)


async def asyncio_wait(task):
    import asyncio
    await asyncio.wait({task})


async def tasks():
    """Tasks that wait for one another, in all ways that asyncio has."""
    import asyncio
    await named(chain(5), "chain")
    await named(stands_between(named(slowly(1), "größe")), "函数")
    # The first of these makes way for the second in the same places of memory.
    for _ in range(20):
        await asyncio.ensure_future(slowly(0))
        await stands_between(asyncio.ensure_future(slowly(0)))
        await asyncio.gather(stands_between(asyncio.ensure_future(slowly(0))), chain(1))
        await named(stands_between(asyncio.ensure_future(slowly(0))), "one")
        await named(stands_between(asyncio.ensure_future(slowly(0))), "two")
    task = asyncio.ensure_future(slowly(1))
    await asyncio.gather(stands_between(task), one_for_many(task), asyncio.shield(task))
    # Those that waited are gone, up to one.
    event = asyncio.Event()
    task = asyncio.ensure_future(waits(event))
    others = [asyncio.ensure_future(stands_between(asyncio.wait_for(asyncio.shield(task), 0.001 * n))) for n in range(1, 4)]
    last = named(asyncio_wait(task), "last")
    await asyncio.gather(*others, return_exceptions=True)
    event.set()
    await last
    await asyncio.wait([asyncio.ensure_future(chain(2)), asyncio.ensure_future(slowly(0))], timeout=10)
    for completed in asyncio.as_completed([slowly(1), chain(1)]):
        await completed
    if hasattr(asyncio, "TaskGroup"):
        await in_group()
        await named(in_group(), "group")
    await chain(200)
    seen()


turn = threading.Lock()


def in_thread(depth):
    for _ in range(5):
        with turn:
            recursion(depth)


def in_threads():
    threads = [threading.Thread(target=in_thread, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


handled = threading.Event()


def signalled(*_):
    mark()
    handled.set()


def signalled_in_call(*_):
    recursion(1)


def signals():
    """A handler that Python runs while C code calls back."""
    signal.signal(signal.SIGUSR2, signalled_in_call)
    sorted([2, 1], key=lambda n: signal.pthread_kill(threading.get_ident(), signal.SIGUSR2) or mark() or n)
    signal.signal(signal.SIGUSR2, signal.SIG_DFL)


def known():
    """Waits until the trace has this function."""
    while True:
        try:
            os.stat("/stride-known")
        except OSError:
            pass
        with open(sys.argv[2], encoding="utf-8", errors="replace") as trace:
            if '"symbol":"known"' in trace.read():
                return
        time.sleep(0.01)


def main():
    known()
    mark()
    for depth in [1, 30, 100]:
        recursion(depth)
    list(generator(3))
    exceptions()
    called_back()
    with_expressions()
    specialised()
    traced()
    kinds_of_classes()
    with_extensions()
    modules()
    many_exceptions()
    over_lines()
    made()
    reused()
    long_lines()
    import asyncio
    asyncio.run(asynchronous())
    asyncio.run(woken())
    asyncio.run(tasks())
    signals()
    in_threads()
    signal.signal(signal.SIGUSR1, signalled)
    # (To this thread: a thread that is just ending may take a signal of the process, and then Python may not notice it.)
    signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
    # (Python handles a signal some time later. The child would not know of it.)
    while not handled.is_set():
        pass
    is_child = os.fork() == 0
    # (The parent does the same, so the child needs not tell its frames.)
    for _ in range(3):
        recursion(2)
    if is_child:
        os._exit(0)
    os.wait()
    sys.setrecursionlimit(2000)
    recursion(480)
    recursion(500)
    # More frames than are looked at.
    recursion(600)
    for _ in range(3):
        # From one place, over and over.
        mark()
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for number, frames in enumerate(marks):
            out.write("%d\x01%s\n" % (number, "\x01".join(frames)))


main()
