"""Each test runs pytest on a small test file, with both engines (`STRIDE_ENGINES` says which of them work here)."""

import os
import signal
import subprocess
import sys
import time

import pytest

ENGINES = os.environ.get("STRIDE_ENGINES", "ptrace").split(",")
STRIDE = os.environ.get("PYTEST_STRIDE", "stride")


@pytest.fixture(params=ENGINES)
def run(request, pytester):
    """Runs pytest in a process of its own on the text of a test file."""
    pytester.makefile(".txt", **{name: name for name in ("one", "two", "three")})

    def run(text, *options):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess("--stride=" + STRIDE, "--stride-engine=" + request.param, *options)

    return run


def test_a_budget_is_kept_or_broken(run):
    result = run(
        """
        def load(name):
            return open(name).read()

        def test_kept(stride):
            with stride.budget(openat=2):
                load("one.txt"), load("two.txt")

        def test_broken(stride):
            with stride.budget(openat=2, close=3):
                for name in ("one.txt", "two.txt", "two.txt"):
                    load(name)
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*stride: openat: 3, but the budget is 2",
            "E*     2  */two.txt  from test_*.py:2 (load)",
            "E*     1  */one.txt  from test_*.py:2 (load)",
        ]
    )
    result.stdout.no_fnmatch_line("*stride: close*")
    # The failure is shown at the block.
    result.stdout.fnmatch_lines([">*with stride.budget(openat=2, close=3):"])


def test_the_block_is_counted_exactly(run):
    result = run(
        """
        import os

        def test_exact(stride):
            os.stat("one.txt"), os.getppid()
            with stride.count() as calls:
                os.getppid()
                os.getppid()
            os.getppid()
            # (Now and then the interpreter asks for memory.)
            made = [call["name"] for call in calls.calls if call["name"] not in ("brk", "mmap", "munmap")]
            assert made == ["getppid", "getppid"]
            assert calls["getppid"] == 2 and calls["total"] == len(calls.calls) and calls["errors.total"] == 0

        def test_nothing(stride):
            with stride.budget(getppid=0, openat=0):
                pass

        def test_errors(stride):
            with stride.budget({"errors.total": 1}, total=None) as calls:
                os.path.exists("none"), os.path.exists("one.txt")
            assert calls["errors.total"] == 1 and calls["total"] >= 2
        """
    )
    result.assert_outcomes(passed=3)


def test_threads_and_children(run):
    result = run(
        """
        import os, threading

        def ask():
            for _ in range(10):
                os.getppid()

        def spawn():
            thread = threading.Thread(target=ask)
            thread.start()
            thread.join()

        def test_process(stride):
            with stride.count("getppid") as calls:
                spawn()
                pid = os.fork()
                if pid == 0:
                    ask()
                    os._exit(0)
                os.waitpid(pid, 0)
            assert calls["getppid"] == 20

        def test_thread(stride):
            with stride.count("getppid", scope="thread") as calls:
                spawn()
                os.getppid()
            assert calls["getppid"] == 1
        """
    )
    result.assert_outcomes(passed=2)


def test_blocks_inside_of_blocks(run):
    result = run(
        """
        import os, pytest
        from pytest_stride import StrideError

        def test_nested(stride):
            with stride.count() as outer:
                os.getppid()
                with stride.count("getppid") as inner:
                    os.getppid()
                os.getppid()
            # The calls that the inner block needed for itself are not counted.
            made = [call["name"] for call in outer.calls if call["name"] not in ("brk", "mmap", "munmap")]
            assert (inner["getppid"], made) == (1, ["getppid"] * 3)

        def test_narrower(stride):
            with stride.count("getppid"):
                with pytest.raises(StrideError, match="wants to count openat"):
                    with stride.count("openat"):
                        pass
        """
    )
    result.assert_outcomes(passed=2)


def test_the_marker(run):
    result = run(
        """
        import os, pytest

        @pytest.fixture
        def busy():
            for _ in range(100):
                os.getppid()

        @pytest.mark.stride_budget(getppid=1)
        def test_kept(busy):
            os.getppid()

        @pytest.mark.stride_budget(getppid=1)
        def test_broken(stride):
            with stride.count("getppid") as calls:
                os.getppid()
            os.getppid()
            assert calls["getppid"] == 1

        @pytest.mark.stride_budget(getppid=0)
        def test_wrong():
            os.getppid()
            assert False, "its own failure matters more"
        """
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["E*stride: getppid: 2, but the budget is 1"])
    result.stdout.fnmatch_lines(["E*its own failure matters more*"])
    result.stdout.no_fnmatch_line("*but the budget is 0*")


def test_mistakes_are_told(run):
    result = run(
        """
        def test_unknown(stride):
            with stride.budget(opnat=1):
                pass

        def test_no_number(stride):
            with stride.budget(openat="many"):
                pass
        """
    )
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["E*opnat*", "E*the limit of openat is 'many', but has to be a number of calls*"])


def test_without_stride(pytester):
    pytester.makepyfile("def test(stride):\n    with stride.budget(openat=1):\n        pass\n")
    result = pytester.runpytest_subprocess("--stride=/no/such/program", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*stride: '/no/such/program' is no program*Install Stride*"])
    result = pytester.runpytest_subprocess("--stride=/no/such/program", "--stride-required")
    result.assert_outcomes(failed=1)


def test_what_is_not_permitted_is_told(pytester):
    # As root, the program that says so stands for a Stride that may not trace.
    stub = pytester.makefile(".sh", stub="#!/bin/sh\necho 'stride: attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted' >&2\nexit 1\n")
    stub.chmod(0o755)
    pytester.makepyfile("def test(stride):\n    with stride.budget(openat=1):\n        pass\n")
    result = pytester.runpytest_subprocess("--stride=%s" % stub, "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*Operation not permitted*stride --doctor*"])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_killed_run_leaves_no_stride(pytester, engine):
    """Also if a child of the block lives on, which Stride would have followed to its end."""
    pytester.makepyfile(
        """
        import subprocess, time

        def test(stride):
            with stride.budget(total=1):
                child = subprocess.Popen(["sleep", "600"])
                with open("child", "w") as file:
                    file.write(str(child.pid))
                time.sleep(600)
        """
    )
    command = [sys.executable, "-m", "pytest", "--stride=" + STRIDE, "--stride-engine=" + engine]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=str(pytester.path))

    def until(state):
        end = time.monotonic() + 60
        while not state():
            assert time.monotonic() < end
            time.sleep(0.01)

    child = pytester.path / "child"
    until(lambda: child.exists() and child.read_text())
    tracers = tracers_of(process.pid)
    assert len(tracers) == 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    until(lambda: not any(lives(pid) for pid in tracers))
    # The child was let go, and runs on.
    pid = int(child.read_text())
    with open("/proc/%d/status" % pid) as status:
        assert "\nTracerPid:\t0\n" in status.read()
    os.kill(pid, signal.SIGKILL)


def tracers_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as children:
        pids = [int(child) for child in children.read().split()]
    names = {child: open("/proc/%d/comm" % child).read().strip() for child in pids}
    return [child for child, name in names.items() if name.startswith("stride")]


def lives(pid):
    try:
        with open("/proc/%d/stat" % pid) as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
