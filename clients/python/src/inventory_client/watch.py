"""Watches that reconnect and continue where they were."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio

from .calls import AsyncCaller, Caller, Method
from .errors import InventoryError, to_inventory_error
from .gen.inventory.v1.inventory_pb2 import WatchInventoryRequest, WatchInventoryResponse
from .reasons import Reason
from .retry import backoff

_WATCH = Method(
    "/inventory.v1.InventoryService/WatchInventory",
    WatchInventoryRequest,
    WatchInventoryResponse,
    reads=True,
)

OnDisconnect = Callable[[InventoryError], None]


@dataclass(frozen=True)
class WatchEvent:
    """What a watch sends: a part of the stock, ready, or a change. Heartbeats are not events."""

    message: WatchInventoryResponse
    """The event: `message.WhichOneof("event")` is "snapshot", "ready" or "change"."""

    reset: bool
    """The whole stock follows: discard your copy before you apply this event."""

    resume_token: str
    """Save it with your copy to continue later. Empty until the whole stock has arrived."""


class _Position:
    """Where a watch is: its resume token, and the failures since its last message."""

    def __init__(self, resume_token: str, on_disconnect: OnDisconnect | None) -> None:
        self.token = resume_token
        self._on_disconnect = on_disconnect
        self._failures = 0
        self._reset = False

    def request(self) -> WatchInventoryRequest:
        self._reset = self.token == ""
        return WatchInventoryRequest(resume_token=self.token)

    def event(self, message: WatchInventoryResponse) -> WatchEvent | None:
        self._failures = 0
        self.token = message.resume_token or self.token
        # Newer services can have other events.
        if message.WhichOneof("event") in (None, "heartbeat"):
            return None
        event = WatchEvent(message, self._reset, self.token)
        self._reset = False
        return event

    def delay(self, error: InventoryError) -> float:
        """Returns the seconds until the client reconnects. Raises the error if that cannot help."""
        if error.reason == Reason.WATCH_EXPIRED:
            self.token = ""
        elif not _can_reconnect(error):
            raise error
        if self._on_disconnect:
            self._on_disconnect(error)
        self._failures += 1
        return max(0.0, error.retry_after or 0) + backoff(self._failures - 1)


def _can_reconnect(error: InventoryError) -> bool:
    return (
        error.is_lost_connection()
        or error.reason == Reason.WATCH_TOO_SLOW
        or error.code == grpc.StatusCode.UNAVAILABLE
        or (error.retry_after is not None and error.retry_after >= 0)
    )


def _ended() -> InventoryError:
    return InventoryError(grpc.StatusCode.UNAVAILABLE, "the watch ended", {})


class _IdleTimer:
    """Cancels a call if nothing arrives for some time."""

    def __init__(self, idle: float, call: Any) -> None:
        self._idle = idle
        self._call = call
        self._last = time.monotonic()
        self._start(idle)

    def touch(self) -> None:
        self._last = time.monotonic()

    def stop(self) -> None:
        self._timer.cancel()

    def _start(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._check)
        self._timer.daemon = True
        self._timer.start()

    def _check(self) -> None:
        left = self._last + self._idle - time.monotonic()
        if left > 0:
            self._start(left)
        else:
            self._call.cancel()


class Watch:
    """An iterator over the whole stock, then every change once and in order, over as many connections as that takes.

    It raises InventoryError if reconnecting cannot help, such as after the key was revoked. `close` ends it, from any
    thread.
    """

    def __init__(
        self,
        caller: Caller,
        resume_token: str,
        idle_timeout: float,
        on_disconnect: OnDisconnect | None,
    ) -> None:
        self._caller = caller
        self._position = _Position(resume_token, on_disconnect)
        self._idle_timeout = idle_timeout
        self._closed = threading.Event()
        self._call: Any = None
        self._events = self._run()

    def __iter__(self) -> Iterator[WatchEvent]:
        return self

    def __next__(self) -> WatchEvent:
        return next(self._events)

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the watch. An iteration in another thread ends without an error."""
        self._closed.set()
        if self._call is not None:
            self._call.cancel()

    def _run(self) -> Iterator[WatchEvent]:
        while not self._closed.is_set():
            self._call = self._caller.open(_WATCH, self._position.request(), None)
            timer = _IdleTimer(self._idle_timeout, self._call)
            if self._closed.is_set():
                self._call.cancel()
            try:
                for message in self._call:
                    timer.touch()
                    event = self._position.event(message)
                    if event:
                        yield event
                        timer.touch()
                failure = _ended()
            except grpc.RpcError as error:
                failure = to_inventory_error(error)
            finally:
                timer.stop()
                self._call.cancel()
            if not self._closed.is_set():
                self._closed.wait(self._position.delay(failure))


async def async_watch(
    caller: AsyncCaller,
    resume_token: str,
    idle_timeout: float,
    on_disconnect: OnDisconnect | None,
) -> AsyncIterator[WatchEvent]:
    """Yields what Watch yields."""
    position = _Position(resume_token, on_disconnect)
    while True:
        call = await caller.open(_WATCH, position.request(), None)
        try:
            while True:
                async with asyncio.timeout(idle_timeout):
                    message = await call.read()
                if message is grpc.aio.EOF:
                    failure = _ended()
                    break
                event = position.event(message)
                if event:
                    yield event
        except grpc.aio.AioRpcError as error:
            failure = to_inventory_error(error)
        except TimeoutError:
            failure = InventoryError(grpc.StatusCode.UNAVAILABLE, "the watch was idle for too long", {})
        finally:
            call.cancel()
        await asyncio.sleep(position.delay(failure))
