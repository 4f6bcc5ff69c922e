"""One function per command: call the engine, hand its record to the output, return the exit status.

The engine is imported where it is needed, so that help and usage errors cost nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.cli import render, render_eval
from clew.cli.output import Output
from clew.errors import NoIndexError, UsageError
from clew.records import Answer, IndexReport, to_json

if TYPE_CHECKING:
    from clew.engine import Engine
    from clew.evaluation import LabelledQuery, Report

Run = Callable[[argparse.Namespace, Output], int]


def search(options: argparse.Namespace, out: Output) -> int:
    def ask(engine: Engine) -> Answer:
        return engine.search(options.query, **_search_options(engine, options), explain=options.explain)

    return _answer(options, out, ask)


def similar(options: argparse.Namespace, out: Output) -> int:
    return _answer(options, out, lambda engine: engine.similar(options.location, **_search_options(engine, options)))


def index(options: argparse.Namespace, out: Output) -> int:
    with _engine(options) as engine:
        if options.dry_run:
            estimate = engine.estimate(full=options.full)
            _print(out, estimate, lambda: render.estimate_lines(estimate, out.paint, out.columns))
            return 0
        report = _build(engine, out, full=options.full)
    _print(out, report, lambda: render.report_lines(report, out.paint, out.columns))
    return 0


def status(options: argparse.Namespace, out: Output) -> int:
    with _engine(options) as engine:
        found = engine.status()
    _print(out, found, lambda: render.status_lines(found, out.paint, out.columns))
    return 0


def evaluate(options: argparse.Namespace, out: Output) -> int:
    from clew.evaluation import comparison, document, load_queries, load_report
    from clew.workspace import resolve_inside

    earlier = load_report(Path(options.compare_with)) if options.compare_with is not None else None
    with _engine(options) as engine:
        queries = load_queries(Path(options.file), partial(resolve_inside, engine.root))
        found = document(_evaluated(engine, queries, options, out), hits=options.hits)
        if earlier is not None:
            found["comparison"] = comparison(earlier, found, options.compare_with, "this run")
        elif options.compare:
            with _changed_engine(engine, dict(options.compare), options, out) as other:
                again = document(_evaluated(other, queries, options, out))
            changes = ", ".join(f"{name}={value}" for name, value in options.compare)
            found["comparison"] = comparison(found, again, "current settings", changes)
    _print(out, found, lambda: render_eval.eval_lines(found, out.paint, out.columns, every=options.all))
    return 0


def _evaluated(engine: Engine, queries: Sequence[LabelledQuery], options: argparse.Namespace, out: Output) -> Report:
    if options.index and not engine.exists():
        _build(engine, out)
    try:
        return engine.evaluate(queries, limit=options.limit or 10)
    except NoIndexError as error:
        raise NoIndexError(error.message, hint=f"{error.hint}, or let this command do it with --index") from None


def _changed_engine(engine: Engine, changes: dict[str, str], options: argparse.Namespace, out: Output) -> Engine:
    """The same root with other settings, if an index fits them: without vectors, any does."""
    from clew.engine import Engine
    from clew.settings import load_settings

    other = Engine.open(engine.root, load_settings(engine.root, changes), force=True)
    if not other.exists():
        return other
    differing = [each for each in other.other_settings() if not each.endswith(" -> none")]
    if differing:
        raise UsageError(
            f"these settings need an index of their own: {'; '.join(differing)}",
            hint="give it a folder and build it: --compare index_dir=FOLDER --index",
        )
    return other


def settings(options: argparse.Namespace, out: Output) -> int:
    from clew.settings import SETTINGS, load_settings
    from clew.workspace import find_root_or_none

    named = None if options.root is None else Path(options.root)
    root = find_root_or_none(named, force=options.force)
    found = load_settings(root)
    table = {name: {"value": to_json(value), "origin": found.origins[name]} for name, value in found.values().items()}
    helps = {setting.name: f"{setting.help} Allowed: {setting.allowed}." for setting in SETTINGS}
    _print(out, {"settings": table}, lambda: render.settings_lines(table, helps, out.paint))
    return 0


def doctor(options: argparse.Namespace, out: Output) -> int:
    from clew.doctor import diagnose

    checks = diagnose(options.root, force=options.force)
    _print(out, {"checks": checks}, lambda: render.check_lines(checks, out.paint))
    return int(any(check.state == "broken" for check in checks))


COMMANDS: Mapping[str, Run] = {
    "search": search,
    "similar": similar,
    "index": index,
    "status": status,
    "eval": evaluate,
    "settings": settings,
    "doctor": doctor,
}


def _engine(options: argparse.Namespace) -> Engine:
    from clew.engine import Engine

    return Engine.open(options.root, force=options.force)


def _answer(options: argparse.Namespace, out: Output, ask: Callable[[Engine], Answer]) -> int:
    with _engine(options) as engine:
        built = _ensure_index(engine, options, out)
        try:
            answer = ask(engine)
        except NoIndexError as error:
            raise NoIndexError(error.message, hint=f"{error.hint}, or let the search do it with --index") from None
        if options.index and not built and answer.freshness.state == "stale":
            _build(engine, out)
            answer = ask(engine)
    _print(out, answer, lambda: render.answer_lines(answer, out.paint, out.columns))
    return 0


def _search_options(engine: Engine, options: argparse.Namespace) -> dict[str, Any]:
    return {
        "limit": options.limit or engine.settings.limit,
        "kinds": options.kind,
        "languages": options.lang,
        "paths": options.path,
        "tests": options.tests,
        "filter": options.filter,
        "places": options.places or engine.settings.places,
        "budget": options.budget,
        "text": not options.no_text,
    }


def _ensure_index(engine: Engine, options: argparse.Namespace, out: Output) -> bool:
    """Build a missing index where that was agreed to: by a flag, by a setting, or by a person who sees it happen.

    Returns whether it was built.
    """
    if engine.exists() or not (options.index or engine.settings.auto_index or out.interactive):
        return False
    estimate = engine.estimate()
    out.note(f"no index yet: indexing {engine.root} ({estimate.files:,} files)", always=True)
    _build(engine, out)
    return True


def _build(engine: Engine, out: Output, *, full: bool = False) -> IndexReport:
    progress = out.progress()
    if progress is None:
        return engine.index(full=full)
    with progress:
        return engine.index(full=full, progress=progress)


def _print(out: Output, record: object, lines: Callable[[], list[str]]) -> None:
    if out.json:
        out.document(to_json(record))
    else:
        out.lines(lines())
