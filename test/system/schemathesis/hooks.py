"""Rules that the OpenAPI document cannot express, and a workaround for a limitation of Schemathesis."""

import re

import schemathesis
from schemathesis import GenerationMode


@schemathesis.hook
def before_call(context, case, kwargs):
    """Removes the parts of a valid request that the server refuses."""
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    # A page token is opaque (https://google.aip.dev/158). A pattern would make its form a part of the
    # contract. Without one, the server refuses almost every generated token with 400.
    (case.query or {}).pop("pageToken", None)
    drop_malformed_headers(case)
    write_integers(case.path_parameters or {})
    write_integers(case.query or {})
    order_quantities(case.query or {})
    choose_pets_or_page(case)
    unique_pets(case.body)


def drop_malformed_headers(case):
    """Removes headers that do not match the document's pattern.

    The coverage phase generates only letters and digits for headers. Where a pattern needs other
    characters, as If-Match does, it sends the invalid value `0` in requests that it calls valid
    (https://github.com/schemathesis/schemathesis/pull/4205).
    """
    for parameter in case.operation.headers:
        pattern = parameter.definition["schema"].get("pattern", "")
        if not re.search(pattern, (case.headers or {}).get(parameter.name, "")):
            (case.headers or {}).pop(parameter.name, None)


def write_integers(parameters):
    """Writes integers without a fraction: `7.0` from the body of an earlier request is an integer only in JSON."""
    for name, value in parameters.items():
        if isinstance(value, float) and value.is_integer():
            parameters[name] = int(value)


def order_quantities(query):
    """Removes the lower bound of a range that contains no quantity: JSON Schema cannot compare two fields."""
    bounds = [int(query[name]) for name in ("minQuantity", "maxQuantity") if name in query]
    if bounds != sorted(bounds):
        del query["minQuantity"]


def choose_pets_or_page(case):
    """Removes the page of a request for the levels of some pets: OpenAPI cannot say that two parameters exclude each other."""
    if case.operation.path.endswith(":levels") and "petIds" in (case.query or {}):
        case.query.pop("pageSize", None)


def unique_pets(body):
    """Removes repeated pets from a list: JSON Schema has no keyword for rules.v1.bounds.unique_by."""
    for name, elements in body.items() if isinstance(body, dict) else ():
        if isinstance(elements, list):
            body[name] = list({element["petId"]: element for element in elements}.values())
