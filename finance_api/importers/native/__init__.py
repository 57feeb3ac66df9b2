"""The native format: NDJSON with whole rows of every type. See docs/importing.md."""

from finance_api.importers.native.reading import NativeReader, NativeRow
from finance_api.importers.native.writing import NativeWriter

__all__ = ["NativeReader", "NativeRow", "NativeWriter"]
