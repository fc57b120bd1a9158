"""Holds that are confirmed or released at the end of a block."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from .errors import InventoryError
from .gen.services import AsyncStoreService, StoreService
from .gen.store.v1.store_pb2 import (
    ConfirmHoldRequest,
    Hold,
    PutHoldRequest,
    ReleaseHoldRequest,
)

# The caller waits for a release, and the units return at the end of the hold anyway.
_RELEASE_TIMEOUT = 5.0


class HoldNotConfirmedError(Exception):
    """A block has ended without an error, but its hold is not confirmed.

    If the reason is HOLD_ENDED, the units are for sale again. After any other error they may be ordered: call
    `confirm_hold` again, or read the hold.
    """

    error: InventoryError
    """Why the hold is not confirmed. It is the `__cause__`, too."""

    def __init__(self, hold_id: str, error: InventoryError) -> None:
        super().__init__(f"hold {hold_id} is not confirmed: {error}")
        self.error = error
        self.__cause__ = error


def _may_be_held(error: BaseException) -> bool:
    """Whether the units may be held although put_hold failed. After a refusal, the hold is as it was before."""
    return not isinstance(error, InventoryError) or error.is_uncertain()


@contextmanager
def hold_units(store: StoreService, request: PutHoldRequest) -> Iterator[Hold]:
    hold_id = request.hold_id

    def release() -> None:
        with suppress(Exception):
            store.release_hold(ReleaseHoldRequest(hold_id=hold_id), timeout=_RELEASE_TIMEOUT)

    hold = None
    try:
        hold = store.put_hold(request).hold
        yield hold
    except BaseException as error:
        if hold or _may_be_held(error):
            release()
        raise
    try:
        hold.CopyFrom(store.confirm_hold(ConfirmHoldRequest(hold_id=hold_id)).hold)
    except InventoryError as error:
        raise HoldNotConfirmedError(hold_id, error) from error


@asynccontextmanager
async def async_hold_units(store: AsyncStoreService, request: PutHoldRequest) -> AsyncIterator[Hold]:
    hold_id = request.hold_id

    async def release() -> None:
        with suppress(Exception):
            await store.release_hold(ReleaseHoldRequest(hold_id=hold_id), timeout=_RELEASE_TIMEOUT)

    hold = None
    try:
        hold = (await store.put_hold(request)).hold
        yield hold
    except BaseException as error:
        if hold or _may_be_held(error):
            await release()
        raise
    # The work is done, so a cancellation comes too late.
    confirm = asyncio.ensure_future(store.confirm_hold(ConfirmHoldRequest(hold_id=hold_id)))
    try:
        hold.CopyFrom((await asyncio.shield(confirm)).hold)
    except InventoryError as error:
        raise HoldNotConfirmedError(hold_id, error) from error
