"""Labels: free tags on records."""

from finance_api.resources.common import ARCHIVED, COLOR, CREATED_AT, ID, UPDATED_AT, name_field
from finance_api.resources.field import Resource

LABELS = Resource(
    name="labels",
    path="labels",
    model_type="Label",
    meaning="Labels of records.",
    default_sort="+name",
    fields=(ID, name_field("household", required=True), COLOR, ARCHIVED, CREATED_AT, UPDATED_AT),
)
