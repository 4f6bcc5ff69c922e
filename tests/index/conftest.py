"""Makes the shared conformance suite importable, with assertions that explain themselves."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.register_assert_rewrite("store_corpus", "store_conformance")
sys.path.insert(0, str(Path(__file__).parent))
