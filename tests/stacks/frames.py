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


def mark():
    frame = sys._getframe(1)
    frames = []
    while frame:
        code = frame.f_code
        frames.append("%s\t%s\t%d" % (getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno or 0))
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
    over_lines()
    made()
    long_lines()
    import asyncio
    asyncio.run(asynchronous())
    in_threads()
    signal.signal(signal.SIGUSR1, signalled)
    os.kill(os.getpid(), signal.SIGUSR1)
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
    for _ in range(3):
        # From one place, over and over.
        mark()
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for number, frames in enumerate(marks):
            out.write("%d\x01%s\n" % (number, "\x01".join(frames)))


main()
