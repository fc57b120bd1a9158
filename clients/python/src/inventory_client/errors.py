"""The errors of calls."""

from collections.abc import Iterable
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from .reasons import Reason

_UNCERTAIN = frozenset({
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
})

# The service looks for an earlier attempt before it refuses with these codes, or it refused that attempt, too.
_DECIDED = frozenset({
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.ABORTED,
})


class InventoryError(Exception):
    """The error of every failed call. Its `__cause__` is the error of grpc."""

    code: grpc.StatusCode
    """The code of the RPC."""

    reason: Reason | str | None
    """Why the service refused the call. None if the error is not from the service: a lost connection, a timeout of the
    client, or an error of a proxy. A newer service can send reasons that Reason does not list: they are strings."""

    metadata: dict[str, str]
    """More about the reason, such as the `petId` of PET_NOT_FOUND."""

    field_violations: list[tuple[str, str]]
    """The invalid fields of FIELD_INVALID: their paths and descriptions."""

    retry_after: float | None
    """Seconds after which the service asks for a retry; -1 if it asks not to retry. None if it does not say."""

    request_id: str | None
    """Identifies the request in the log of the service."""

    def __init__(self, code: grpc.StatusCode, message: str, trailers: dict[str, Any]) -> None:
        super().__init__(message)
        self.code = code
        self.reason = None
        self.metadata = {}
        self.field_violations = []
        self.retry_after = None
        self.request_id = trailers.get("x-request-id")
        self._read_details(trailers.get("grpc-status-details-bin", b""))
        pushback = trailers.get("grpc-retry-pushback-ms")
        if pushback is not None:
            self.retry_after = int(pushback) / 1000 if pushback.isdigit() else -1

    def _read_details(self, packed: bytes) -> None:
        try:
            details = Status.FromString(packed).details
            for detail in details:
                self._read_detail(detail)
        except DecodeError:
            return  # A proxy wrote this trailer.

    def _read_detail(self, detail: Any) -> None:
        info, bad_request, retry = ErrorInfo(), BadRequest(), RetryInfo()
        if detail.Unpack(info) and info.domain == "inventory":
            known = info.reason in Reason.__members__
            self.reason = Reason(info.reason) if known else info.reason
            self.metadata = dict(info.metadata)
        elif detail.Unpack(bad_request):
            self.field_violations = [(v.field, v.description) for v in bad_request.field_violations]
        elif detail.Unpack(retry):
            self.retry_after = retry.retry_delay.ToTimedelta().total_seconds()

    def is_lost_connection(self) -> bool:
        """Whether the error is from the network or a proxy. Every error of the service has a reason."""
        return self.reason is None and self.is_uncertain()

    def is_uncertain(self) -> bool:
        """Whether the service may have made a change, although the call failed."""
        if "changeOutcome" in self.metadata:
            return self.metadata["changeOutcome"] == "unknown"
        if self.reason == Reason.IDEMPOTENCY_KEY_IN_USE:
            return True
        return self.code in _UNCERTAIN and self.reason != Reason.SERVER_OVERLOADED

    def add_uncertain_attempt(self) -> None:
        """Adds to the last error of a write that an earlier attempt may have made the change."""
        if self.reason is not None and self.code in _DECIDED and not self.is_uncertain():
            return
        self.args = (f"{self.args[0]} An earlier attempt may have made the change.",)
        self.metadata["changeOutcome"] = "unknown"

    def __str__(self) -> str:
        return f"{self.reason or self.code.name}: {super().__str__()}"


def to_inventory_error(error: Any) -> InventoryError:
    """Converts an error of grpc, of threads or of asyncio."""
    pairs: list[tuple[str, Any]] = [
        *_pairs(getattr(error, "initial_metadata", None)),
        *_pairs(getattr(error, "trailing_metadata", None)),
    ]
    converted = InventoryError(error.code(), error.details() or "", dict(pairs))
    converted.__cause__ = error
    return converted


def _pairs(read: Any) -> Iterable[tuple[str, Any]]:
    return (read() if read else None) or ()
