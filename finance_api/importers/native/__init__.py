"""The native format: NDJSON with whole rows of every type. See docs/importing.md."""

from finance_api.importers.native.reading import NativeFile, NativeRow, native_file
from finance_api.importers.native.writing import NativeWriter

__all__ = ["NativeFile", "NativeRow", "NativeWriter", "native_file"]
