"""Which lines of Python code named which paths: the interpreter tells audit hooks of the files that it is asked for."""

import os
import sys

_watching = []


def _hook(event, args):
    if not _watching or not args or not isinstance(args[0], (str, bytes, os.PathLike)):
        return
    if event != "open" and not event.startswith(("os.", "shutil.", "sqlite3.")):
        return
    # The hook's own frame is the innermost one.
    frame = sys._getframe(1)
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    if frame is None:
        return
    path = os.path.abspath(os.fsdecode(args[0])) if os.fspath(args[0]) else ""
    place = (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
    for origins in _watching:
        origins.setdefault(path, {}).setdefault(place, 0)
        origins[path][place] += 1


_hooked = False


class Origins:
    """While it watches, the places in Python code by the path that they named."""

    def __init__(self):
        self.places = {}

    def start(self):
        global _hooked
        if not _hooked:
            # An audit hook stays for ever. It does nothing while nobody watches.
            sys.addaudithook(_hook)
            _hooked = True
        _watching.append(self.places)

    def stop(self):
        if any(places is self.places for places in _watching):
            _watching[:] = [places for places in _watching if places is not self.places]

    def of(self, path):
        """`test_app.py:12 (load)`: the place that named this path most often. None if none did."""
        places = self.places.get(path)
        if not places:
            return None
        file, line, function = max(places, key=places.get)
        return "%s:%d (%s)" % (os.path.relpath(file), line, function)
