"""The service and its data, from the environment variables that `npm run task clients` sets."""

import os

# Well-formed ids that do not exist.
UNKNOWN_PET = UNKNOWN_ORDER = 2**63 - 1
UNKNOWN_HOLD = "none"
UNKNOWN_ACCOUNT = "z" * 12
UNKNOWN_KEY = "z" * 20

# The error reasons, each with its code and the key of its metadata.
REFUSALS = {
    "KEY_MISSING": ("UNAUTHENTICATED", None),
    "KEY_INVALID": ("UNAUTHENTICATED", None),
    "KEY_REVOKED": ("UNAUTHENTICATED", None),
    "KEY_EXPIRED": ("UNAUTHENTICATED", None),
    "ACCOUNT_DISABLED": ("PERMISSION_DENIED", None),
    "ADDRESS_NOT_ALLOWED": ("PERMISSION_DENIED", None),
    "KEY_BANNED": ("RESOURCE_EXHAUSTED", None),
    "ADDRESS_LIMITED": ("RESOURCE_EXHAUSTED", None),
    "SCOPE_MISSING": ("PERMISSION_DENIED", "scope"),
    "FIELD_INVALID": ("INVALID_ARGUMENT", None),
    "PET_NOT_FOUND": ("NOT_FOUND", "petId"),
    "PET_EXISTS": ("ALREADY_EXISTS", "petId"),
    "ORDER_NOT_FOUND": ("NOT_FOUND", "orderId"),
    "ORDER_STATUS": ("FAILED_PRECONDITION", "status"),
    "HOLD_NOT_FOUND": ("NOT_FOUND", "holdId"),
    "HOLD_ENDED": ("FAILED_PRECONDITION", "state"),
    "PET_HELD": ("FAILED_PRECONDITION", "petId"),
    "STOCK_TOO_LARGE": ("FAILED_PRECONDITION", "orderId"),
    "STOCK_TOO_SMALL": ("FAILED_PRECONDITION", "available"),
    "VERSION_MISMATCH": ("ABORTED", "version"),
    "QUANTITY_MISMATCH": ("ABORTED", "quantity"),
    "CONDITION_REQUIRED": ("FAILED_PRECONDITION", None),
    "IDEMPOTENCY_KEY_REQUIRED": ("FAILED_PRECONDITION", None),
    "IDEMPOTENCY_KEY_REUSED": ("FAILED_PRECONDITION", "key"),
    "MESSAGE_TOO_LARGE": ("RESOURCE_EXHAUSTED", None),
    "ACCOUNT_NOT_FOUND": ("NOT_FOUND", "accountId"),
    "OWN_ACCOUNT": ("FAILED_PRECONDITION", "accountId"),
    "KEY_NOT_FOUND": ("NOT_FOUND", "keyId"),
    "KEY_NOT_VALID": ("FAILED_PRECONDITION", "keyId"),
    "TOO_MANY_KEYS": ("FAILED_PRECONDITION", "accountId"),
    "STORE_UNAVAILABLE": ("UNAVAILABLE", None),
}
# These errors are temporary: they say how long to wait.
PASSING = ("KEY_BANNED", "ADDRESS_LIMITED", "STORE_UNAVAILABLE")

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
