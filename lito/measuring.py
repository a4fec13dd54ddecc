"""A command made of named measurements, each a module of the app that it measures.

Such a module has `add_arguments(parser)` and `run(options) -> dict` with JSON values.
"""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, Protocol, cast

from django.core.management.base import BaseCommand


class Measurement(Protocol):
    __doc__: str | None

    def add_arguments(self, parser: ArgumentParser) -> None: ...

    def run(self, options: dict[str, Any]) -> dict[str, Any]: ...


class MeasuringCommand(BaseCommand):
    """One subcommand for each entry of `measurements`, given as name and module."""

    requires_system_checks = ()
    measurements: ClassVar[tuple[tuple[str, str], ...]] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = parser.add_subparsers(dest="measurement", required=True, metavar="NAME")
        for name, module in self.measurements:
            measurement = _imported(module)
            summary = (measurement.__doc__ or "").partition("\n")[0]
            own = names.add_parser(name, help=summary, description=summary)
            own.add_argument("--json", action="store_true", help="One object on one line.")
            measurement.add_arguments(own)

    def handle(self, *, measurement: str, **options: Any) -> None:
        result = _imported(dict(self.measurements)[measurement]).run(options)
        if options["json"]:
            self.stdout.write(json.dumps(result, ensure_ascii=False))
        else:
            self.stdout.write("\n".join(_lines(result)))


def _imported(module: str) -> Measurement:
    return cast("Measurement", import_module(module))


def _lines(result: Mapping[str, Any], indent: str = "") -> list[str]:
    lines: list[str] = []
    for name, value in result.items():
        if isinstance(value, Mapping):
            lines += [f"{indent}{name}", *_lines(value, indent + "  ")]
        else:
            shown = f"{value:.4g}" if isinstance(value, float) else str(value)
            lines.append(f"{indent}{name}: {shown}")
    return lines
