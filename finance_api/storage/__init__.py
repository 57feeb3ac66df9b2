"""Storages: one interface (`interface`) with two implementations (`memory` and `sql`)."""
