"""Which suites there are: the modules of `evals.suites`."""

import pkgutil
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from evals import suites
from graph.errors import ConfigError, InputError

if TYPE_CHECKING:
    from evals.suite import Suite

EXTRA = ("ir_measures", "jinja2", "matplotlib", "openpyxl")
"""The packages that the extra `evals` adds."""


def suite_names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(suites.__path__))


def check_extra() -> None:
    """Raises `ConfigError` where the extra is not installed."""
    if missing := [package for package in EXTRA if find_spec(package) is None]:
        raise ConfigError(f"evals need {', '.join(missing)}; install what is missing: make evals")


def load_suite(name: str) -> "Suite":
    """Raises `InputError` where there is no such suite, and `ConfigError` where the extra is not
    installed."""
    if name not in suite_names():
        raise InputError(f"there is no suite {name!r}; there are {', '.join(suite_names())}")
    check_extra()
    suite: Suite = import_module(f"{suites.__name__}.{name}").SUITE
    return suite
