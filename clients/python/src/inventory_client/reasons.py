"""Why the service refuses calls."""

# Generated from src/contract/errors.ts by clients/generate-reasons.ts. Do not edit.

from enum import StrEnum


class Reason(StrEnum):
    """Why the service refused a call."""

    KEY_MISSING = "KEY_MISSING"
    """No API key was sent."""

    KEY_INVALID = "KEY_INVALID"
    """The API key is malformed, or no such key exists."""

    KEY_REVOKED = "KEY_REVOKED"
    """The API key was revoked."""

    KEY_EXPIRED = "KEY_EXPIRED"
    """The API key has expired."""

    ACCOUNT_DISABLED = "ACCOUNT_DISABLED"
    """An operator has disabled the account of the API key."""

    SCOPE_MISSING = "SCOPE_MISSING"
    """The API key lacks a scope that the operation needs."""

    RATE_LIMITED = "RATE_LIMITED"
    """The account's limit per minute or per day is reached."""

    BATCH_OVER_LIMIT = "BATCH_OVER_LIMIT"
    """The batch counts as more requests than the account's limit. Do not retry it: send fewer items at once."""

    KEY_BANNED = "KEY_BANNED"
    """The API key is banned for some time because it repeated refused requests without waiting."""

    ADDRESS_LIMITED = "ADDRESS_LIMITED"
    """Too many requests without a valid API key came from the client's address."""

    FIELD_INVALID = "FIELD_INVALID"
    """A field of the request is missing or out of bounds."""

    PET_NOT_FOUND = "PET_NOT_FOUND"
    """The pet is not in the inventory."""

    PET_EXISTS = "PET_EXISTS"
    """The pet is in the inventory already."""

    ORDER_NOT_FOUND = "ORDER_NOT_FOUND"
    """The account does not have this order."""

    ACCOUNT_NOT_FOUND = "ACCOUNT_NOT_FOUND"
    """The account does not exist."""

    OWN_ACCOUNT = "OWN_ACCOUNT"
    """An API key cannot disable or delete its own account. Use a key of another account."""

    KEY_NOT_FOUND = "KEY_NOT_FOUND"
    """The API key does not exist."""

    STOCK_TOO_SMALL = "STOCK_TOO_SMALL"
    """The stock is smaller than the quantity to be removed."""

    STOCK_TOO_LARGE = "STOCK_TOO_LARGE"
    """The stock would exceed the largest quantity, 2147483647."""

    VERSION_MISMATCH = "VERSION_MISMATCH"
    """The item's version does not match the conditions of the request."""

    QUANTITY_MISMATCH = "QUANTITY_MISMATCH"
    """The item's quantity is not the expected one."""

    IDEMPOTENCY_KEY_IN_USE = "IDEMPOTENCY_KEY_IN_USE"
    """Another request with the same idempotency key is in progress."""

    IDEMPOTENCY_KEY_REUSED = "IDEMPOTENCY_KEY_REUSED"
    """The idempotency key was used with another request in the last 24 hours."""

    ORDER_STATUS = "ORDER_STATUS"
    """The order's status does not allow the change."""

    KEY_NOT_VALID = "KEY_NOT_VALID"
    """The API key was revoked or has expired."""

    TOO_MANY_KEYS = "TOO_MANY_KEYS"
    """The account has the maximum number of API keys. Revoke one first."""

    SERVICE_UNKNOWN = "SERVICE_UNKNOWN"
    """A health check names an unknown service."""

    HEALTH_WATCH_LIMIT_REACHED = "HEALTH_WATCH_LIMIT_REACHED"
    """Too many health watches are open. gRPC clients then treat the server as healthy."""

    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    """The store cannot be reached, or does not respond in time. Retry later."""

    SERVER_OVERLOADED = "SERVER_OVERLOADED"
    """The server has more requests or streams than it can serve in time. The request had no effect. Retry later."""

    SERVER_DRAINING = "SERVER_DRAINING"
    """The server is shutting down, or it ends the connection because of its age. Reconnect to reach another instance."""

    WATCH_EXPIRED = "WATCH_EXPIRED"
    """The history no longer has all changes since the resume token. Watch without a token."""

    WATCH_TOO_SLOW = "WATCH_TOO_SLOW"
    """The client of a watch is too many changes behind, because it reads too slowly."""

    WATCH_LIMIT_REACHED = "WATCH_LIMIT_REACHED"
    """The API key (MAX_WATCHES_PER_KEY) or the account (MAX_WATCHES_PER_ACCOUNT) has too many open watches. Close one first."""

    WATCH_CAPACITY_REACHED = "WATCH_CAPACITY_REACHED"
    """The process has too many open watches (MAX_WATCHES). Retry later."""

    MESSAGE_INVALID = "MESSAGE_INVALID"
    """The request does not follow the protocol or the API definition."""

    MESSAGE_TOO_LARGE = "MESSAGE_TOO_LARGE"
    """The message is larger than MAX_BODY_BYTES, or MAX_BATCH_BODY_BYTES for a batch."""

    NOT_SUPPORTED = "NOT_SUPPORTED"
    """The method does not exist, or does not support this kind of call."""

    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    """The deadline of the request has passed."""

    CLIENT_LEFT = "CLIENT_LEFT"
    """The client has disconnected or cancelled the call."""

    INTERNAL = "INTERNAL"
    """The server has a bug, or cannot encode the response. The server log has the details."""
