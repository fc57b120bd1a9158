"""When calls are repeated."""

import random
import secrets
from dataclasses import dataclass
from typing import TypeVar

import grpc
from google.protobuf.message import Message

from .errors import InventoryError
from .reasons import Reason

_FIRST_BACKOFF = 0.25
_LONGEST_BACKOFF = 8.0

M = TypeVar("M", bound=Message)


@dataclass(frozen=True)
class RetryPolicy:
    """How long calls may take, and how often they are repeated."""

    timeout: float = 30.0
    """Seconds for a call with all its retries."""

    attempt_timeout: float = 10.0
    """Seconds for one attempt."""

    max_retries: int = 4
    """Number of retries after the first attempt. 0 turns them off."""


def backoff(retry: int) -> float:
    """Returns random seconds up to a bound that doubles with every retry, so that clients do not retry at the same
    moment ("full jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/)."""
    return random.uniform(0, min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2 ** min(retry, 10)))


def retry_delay(error: InventoryError, repeatable: bool, retry: int) -> float | None:
    """Returns the seconds until a retry. None if the call must not be repeated.

    A call is repeatable if a second execution changes nothing: it reads, or has an idempotency key.
    """
    if error.retry_after is not None and error.retry_after < 0:
        return None
    transient = error.is_lost_connection() or (
        error.reason is not None
        and (
            error.retry_after is not None
            or error.code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
            # An earlier attempt whose response was lost still runs.
            or error.reason == Reason.IDEMPOTENCY_KEY_IN_USE
        )
    )
    refused = error.reason == Reason.SERVER_OVERLOADED or (
        error.reason is not None and error.code == grpc.StatusCode.RESOURCE_EXHAUSTED
    )
    if not transient or not (repeatable or refused):
        return None
    return (error.retry_after or 0) + backoff(retry)


def make_repeatable(request: M, reads: bool) -> tuple[M, bool]:
    """Adds an idempotency key to a write that takes one and has none. Returns whether the request can be repeated."""
    fields = request.DESCRIPTOR.fields_by_name
    if "idempotency_key" not in fields:
        # The id of a hold works like an idempotency key.
        return request, reads or "hold_id" in fields
    if getattr(request, "idempotency_key"):
        return request, True
    # A copy, because the caller may send the same object again as another write.
    copy = type(request)()
    copy.CopyFrom(request)
    setattr(copy, "idempotency_key", secrets.token_hex(16))
    return copy, True
