"""Budgets for the system calls that tests make, counted by Stride.

The fixture `stride` (see `plugin`) offers `stride.budget(openat=66)` and `stride.count("openat")`; both are an `api.Block`.
"""

from .api import BudgetExceeded, Stride
from .tracer import StrideError, StrideMissing, StrideNotPermitted

__all__ = ["BudgetExceeded", "Stride", "StrideError", "StrideMissing", "StrideNotPermitted"]
