"""What the Cornice services of data have in common."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

from cornice import Service as CorniceService
from pyramid.httpexceptions import HTTPException
from pyramid.response import Response

from finance_api.api.openapi.responses import ResponseDescription, list_response
from finance_api.api.parameters import Fault, ParameterSchema, list_schema, validate_query
from finance_api.api.representation import CSV, NDJSON, XLSX, Representation
from finance_api.auth.contexts import Factory, own_data, own_internal_data
from finance_api.auth.permissions import Permission
from finance_api.http.errors import problem
from finance_api.http.requests import Request
from finance_api.resources.field import Resource


class Service(CorniceService):  # type: ignore[misc]
    """A service that is described.

    response: of a request without faults; None: there is none, and nothing to describe.
    scopes: those that a token needs.
    """

    # Views return responses. Cornice's own renderer comes with its subscriber.
    renderer = "json"

    def __init__(
        self,
        name: str,
        path: str,
        description: str,
        *,
        response: ResponseDescription | None,
        scopes: Sequence[str] = (),
        **options: Any,
    ) -> None:
        # A scan finds what is at the caller's.
        super().__init__(name, path, description, depth=2, **options)
        self.response = response
        self.scopes = tuple(scopes)


def refuse(request: Request) -> HTTPException:
    """400 with every fault that the validators found."""
    return refusal(request.errors)


def refusal(faults: Sequence[Fault]) -> HTTPException:
    """400 with the faults."""
    errors = [{"in": "query", "name": name, "message": message} for name, message in faults]
    first = f"{errors[0]['name']}: {errors[0]['message']}"
    if len(errors) > 1:
        first += f" (and {len(errors) - 1} more)"
    return problem(400, first, errors=errors)


def options(
    description: str,
    schema: ParameterSchema,
    permission: Permission,
    factory: Factory,
    response: ResponseDescription | None,
    scopes: Sequence[str] = (),
) -> dict[str, Any]:
    """factory: of the context, whose ACL decides who has the permission."""
    return {
        "description": description,
        "response": response,
        "scopes": scopes,
        "schema": schema,
        "validators": (validate_query,),
        "error_handler": refuse,
        "permission": permission,
        "factory": factory,
    }


def public(
    resource: Resource,
    permission: Permission,
    schema: ParameterSchema | None = None,
    description: str | None = None,
    response: ResponseDescription | None = None,
) -> dict[str, Any]:
    """A resource of the public API; by default a list of it. Its path is the token's scope."""
    return options(
        description or resource.meaning,
        schema or list_schema(resource),
        permission,
        own_data(str(resource.path), permission),
        response or list_response(resource),
        (str(resource.path),),
    )


def internal(
    description: str, schema: ParameterSchema, permission: Permission, response: ResponseDescription
) -> dict[str, Any]:
    return options(description, schema, permission, own_internal_data(permission), response)


#: A view that is given the representation; None: the one that the client prefers.
FormView = Callable[[Request, Representation | None], Response]
View = TypeVar("View", bound=Callable[..., Response])


def in_every_form(
    path: str,
    view: FormView,
    *,
    response: ResponseDescription,
    schema: ParameterSchema,
    only_in: Mapping[str, Representation] | None = None,
    **service_options: Any,
) -> Iterator[Service]:
    """The service at a path, where Accept decides, and one at the path with each ending.

    only_in: parameters that no other ending has.
    """
    for form in (None, CSV, NDJSON, XLSX):
        at = path if form is None else f"{path}.{form.suffix}"
        of_form = response if form is None else response.only(form)
        taken = schema.clone()
        for name, only in (only_in or {}).items():
            if form not in (None, only):
                del taken[name]
                why = f"is for {only.suffix.upper()} only"
                taken.refused = {**taken.refused, name: why}
        service = Service(f"public {at}", at, response=of_form, schema=taken, **service_options)
        service.add_view("GET", _view_in(view, form))
        yield service


def _view_in(view: FormView, form: Representation | None) -> Callable[[Request], Response]:
    @wraps(view)
    def in_form(request: Request) -> Response:
        return view(request, form)

    return in_form


def named(name: str) -> Callable[[View], View]:
    """For a view that is made for each of several resources: the name that `proutes` shows."""

    def rename(view: View) -> View:
        view.__name__ = view.__qualname__ = name
        return view

    return rename
