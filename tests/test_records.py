from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import pytest

from clew import records
from clew.records import (
    CHUNK_KINDS,
    DEFINITION_KINDS,
    Answer,
    Chunk,
    Failure,
    FileCounts,
    FileFlag,
    FileStat,
    Freshness,
    Hit,
    IndexReport,
    Place,
    SourceFile,
    Status,
    to_json,
)

RECORDS = [each for each in vars(records).values() if dataclasses.is_dataclass(each) and isinstance(each, type)]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_records_are_frozen_and_slotted(record: Any) -> None:
    assert record.__dataclass_params__.frozen
    assert "__slots__" in vars(record)


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Place("a.py", 1, 2).path = "b.py"  # type: ignore[misc]


def test_kinds_are_distinct_and_a_chunk_may_also_be_a_gap_or_lines() -> None:
    assert len(set(CHUNK_KINDS)) == len(CHUNK_KINDS)
    assert set(CHUNK_KINDS) - set(DEFINITION_KINDS) == {"gap", "lines"}


def test_flags_are_distinct_bits() -> None:
    values = [flag.value for flag in FileFlag]
    assert all(value & (value - 1) == 0 for value in values) and len(set(values)) == len(values)


def test_an_answer_turns_into_the_documented_json() -> None:
    hit = Hit(1, "a.py", "python", 0.5, (Place("a.py", 3, 4, "f", "function", "def f():\n    pass"),))
    answer = Answer("q", "/r", 7, Freshness("fresh"), (hit,), ("a note",), 12)
    assert to_json(answer) == {
        "query": "q",
        "root": "/r",
        "generation": 7,
        "freshness": {"state": "fresh", "changed_files": 0, "message": ""},
        "hits": [
            {
                "rank": 1,
                "path": "a.py",
                "language": "python",
                "score": 0.5,
                "places": [
                    {
                        "start_line": 3,
                        "end_line": 4,
                        "symbol": "f",
                        "kind": "function",
                        "text": "def f():\n    pass",
                        "truncated": False,
                    }
                ],
                "stale": False,
                "decisions": [],
            }
        ],
        "notes": ["a note"],
        "tokens": 12,
    }


def test_a_place_without_text_leaves_it_out() -> None:
    assert list(to_json(Place("a.py", 1, 2))) == ["path", "start_line", "end_line", "symbol", "kind"]
    assert to_json(Place("a.py", 1, 2, text=""))["text"] == ""


def test_a_place_outside_a_hit_says_where_it_is() -> None:
    assert to_json([Place("a.py", 1, 2)])[0]["path"] == "a.py"


def test_signals_are_there_only_when_asked_for() -> None:
    hit = Hit(1, "a.py", "python", 0.5, ())
    assert "signals" not in to_json(hit)
    assert to_json(dataclasses.replace(hit, signals={"body": 1.0}))["signals"] == {"body": 1.0}


def test_an_index_report_turns_into_the_documented_json() -> None:
    report = IndexReport("/r", 1, FileCounts(1, 2, 3, 4, 5), 6, 7, 8, {"binary": 4}, (Failure("a", "why"),), 0.5)
    found = to_json(report)
    assert found["files"] == {"indexed": 1, "unchanged": 2, "removed": 3, "skipped": 4, "failed": 5}
    assert (found["skipped_reasons"], found["failures"]) == ({"binary": 4}, [{"path": "a", "reason": "why"}])
    assert {"root", "generation", "chunks", "definitions", "embedded", "seconds"} <= set(found)


def test_what_is_unknown_of_a_status_is_null() -> None:
    found = to_json(Status(False, "/r", "/r/.clew"))
    assert (found["generation"], found["files"], found["stale"], found["languages"]) == (None, None, None, {})


def test_containers_and_enumerations_turn_into_plain_values() -> None:
    found = to_json({1: (FileFlag.TEST, [SourceFile("a", FileStat(1, 2, 3, 4))])})
    assert found == {
        "1": [
            1,
            [{"path": "a", "stat": {"size": 1, "mtime_ns": 2, "ctime_ns": 3, "inode": 4}, "flags": 0}],
        ]
    }


@pytest.mark.parametrize("record", [Chunk(0, "gap", "", 1, 1, 0, 5), Status(True, "/r", "/i", languages={"go": 1})])
def test_a_record_survives_the_json_module(record: Any) -> None:
    found = to_json(record)
    assert json.loads(json.dumps(found)) == found
    assert isinstance(found, Mapping)
