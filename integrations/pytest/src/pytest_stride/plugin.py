"""The plugin: options, the fixture `stride` and the marker `stride_budget`."""

import os
import sys

import pytest

from .api import Stride
from .tracer import StrideMissing, StrideNotPermitted


_STRIDE = pytest.StashKey()


def pytest_addoption(parser):
    group = parser.getgroup("stride", "system calls, counted by Stride")
    group.addoption("--stride", metavar="PATH", help="the program stride (default: the one in PATH)")
    group.addoption(
        "--stride-engine",
        choices=["auto", "ebpf", "ptrace"],
        default="auto",
        help="how Stride traces: ebpf needs privileges, ptrace does not (default: auto)",
    )
    group.addoption(
        "--stride-stacks",
        action="store_true",
        help="tell which Python functions made the calls above a budget (slower; Python 3.12 or later)",
    )
    group.addoption(
        "--stride-required",
        action="store_true",
        help="fail tests with budgets if Stride is not there or not permitted, instead of skipping them",
    )
    parser.addini("stride_required", "the same as --stride-required", type="bool", default=False)


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "stride_budget(limits=None, scope='process', **calls): the test may make at most so many system calls, such as "
        "stride_budget(openat=66, total=500)",
    )


def _skips(config):
    return not (config.getoption("--stride-required") or config.getini("stride_required"))


def _stride(config):
    stacks = config.getoption("--stride-stacks")
    if stacks and not hasattr(sys, "activate_stack_trampoline"):
        raise pytest.UsageError("--stride-stacks needs Python 3.12 or later; this is %d.%d" % sys.version_info[:2])
    if stacks and not sys.is_stack_trampoline_active():
        sys.activate_stack_trampoline("perf")
    path = config.getoption("--stride") or os.environ.get("PYTEST_STRIDE")
    return SkippingStride(path, config.getoption("--stride-engine"), stacks, _skips(config))


class SkippingStride(Stride):
    """Skips the test, unless told otherwise, where system calls cannot be counted."""

    def __init__(self, path, engine, stacks, skips):
        super().__init__(path, engine, stacks)
        self._skips = skips

    def _enter(self, calls):
        try:
            return super()._enter(calls)
        except (StrideMissing, StrideNotPermitted) as error:
            if self._skips:
                pytest.skip("%s (--stride-required makes this a failure)" % error)
            raise


def _of(config):
    """The one Stride of this session, so that a test's marker and the blocks in the test share it."""
    if _STRIDE not in config.stash:
        config.stash[_STRIDE] = _stride(config)
    return config.stash[_STRIDE]


@pytest.fixture
def stride(pytestconfig):
    """Counts system calls: `with stride.budget(openat=66): ...`, `with stride.count("openat") as calls: ...`."""
    return _of(pytestconfig)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    marker = pyfuncitem.get_closest_marker("stride_budget")
    if marker is None:
        return (yield)
    __tracebackhide__ = True
    with _of(pyfuncitem.config).budget(*marker.args, **marker.kwargs):
        return (yield)
