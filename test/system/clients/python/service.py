"""The service and its data, from the environment variables that `npm run task clients` sets."""

import os

# A well-formed id that does not exist.
UNKNOWN_PET = 2**63 - 1

# Some error reasons, each with its code and the key of its metadata.
REFUSALS = {
    "KEY_MISSING": ("UNAUTHENTICATED", None),
    "FIELD_INVALID": ("INVALID_ARGUMENT", None),
    "PET_NOT_FOUND": ("NOT_FOUND", "petId"),
    "STOCK_TOO_SMALL": ("FAILED_PRECONDITION", "available"),
    "VERSION_MISMATCH": ("ABORTED", "version"),
    "MESSAGE_TOO_LARGE": ("RESOURCE_EXHAUSTED", None),
    "STORE_UNAVAILABLE": ("UNAVAILABLE", None),
}

LIMITS = (
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "ratelimit",
    "ratelimit-policy",
)


def env(name: str) -> str:
    value = os.environ.get(f"INVENTORY_{name}")
    assert value is not None, f"INVENTORY_{name} is not set: run `npm run task clients`"
    return value
