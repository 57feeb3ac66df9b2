"""The native format: NDJSON with whole rows of every type. See docs/importing.md."""

from finance_api.importers.native.lines import NativeFile, NativeRow, NativeWriter, native_file

__all__ = ["NativeFile", "NativeRow", "NativeWriter", "native_file"]
