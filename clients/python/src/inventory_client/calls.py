"""Calls with keys, timeouts and retries, for threads and for asyncio."""

import asyncio
import inspect
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import grpc
import grpc.aio
from google.protobuf.message import Message

from .errors import InventoryError, to_inventory_error
from .retry import RetryPolicy, make_repeatable, retry_delay

Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)

CHANNEL_OPTIONS = [
    # The service has its own limits, and a whole list can exceed the default of 4 MiB.
    ("grpc.max_receive_message_length", -1),
    ("grpc.initial_reconnect_backoff_ms", 250),
    ("grpc.min_reconnect_backoff_ms", 250),
    ("grpc.max_reconnect_backoff_ms", 8_000),
]


class Method(Generic[Q, A]):
    """A method of the contract."""

    def __init__(self, path: str, request: type[Q], response: type[A], *, reads: bool) -> None:
        self.path = path
        self.response = response
        self.reads = reads

    def codec(self) -> tuple[str, Callable[[Q], bytes], Callable[[bytes], A]]:
        """Returns the arguments that grpc needs to call the method."""
        return self.path, _serialize, self.response.FromString


def _serialize(message: Message) -> bytes:
    return message.SerializeToString()


def target_of(base_url: str) -> tuple[str, bool]:
    """Returns the target of grpc for a URL, and whether it uses TLS."""
    url = urlsplit(base_url)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ValueError(f"base_url must be a URL such as https://inventory.example.com, not {base_url!r}")
    if url.path not in ("", "/"):
        raise ValueError(f"base_url must not have a path, because gRPC has none: {base_url!r}")
    tls = url.scheme == "https"
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return f"{host}:{url.port or (443 if tls else 80)}", tls


def _authorization(key: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {key}"),)


class _Attempts:
    """The time and the retries that a call has left."""

    def __init__(
        self, policy: RetryPolicy, timeout: float | None, *, repeatable: bool, reads: bool
    ) -> None:
        self._policy = policy
        self._ends_at = time.monotonic() + (policy.timeout if timeout is None else timeout)
        self._repeatable = repeatable
        self._reads = reads
        self._retry = 0
        self._may_have_changed = False

    def timeout(self) -> float:
        """Returns the seconds for the next attempt."""
        return min(self._policy.attempt_timeout, max(0.001, self._ends_at - time.monotonic()))

    def delay(self, error: InventoryError) -> float:
        """Returns the seconds until the next attempt. Raises the error if there must not be one."""
        delay = retry_delay(error, self._repeatable, self._retry)
        self._retry += 1
        if (
            delay is None
            or self._retry > self._policy.max_retries
            or time.monotonic() + delay >= self._ends_at
        ):
            if self._may_have_changed:
                error.add_uncertain_attempt()
            raise error
        self._may_have_changed |= not self._reads and error.is_uncertain()
        return delay


class Caller:
    """Makes calls on a channel."""

    def __init__(self, channel: grpc.Channel, key: Callable[[], str], policy: RetryPolicy) -> None:
        self.channel = channel
        self._key = key
        self._policy = policy

    def unary(self, method: Method[Q, A], request: Q, timeout: float | None) -> A:
        message, repeatable = make_repeatable(request, method.reads)
        attempts = _Attempts(self._policy, timeout, repeatable=repeatable, reads=method.reads)
        call = self.channel.unary_unary(*method.codec())
        while True:
            try:
                response: A = call(message, timeout=attempts.timeout(), metadata=self._metadata())
                return response
            except grpc.RpcError as error:
                time.sleep(attempts.delay(to_inventory_error(error)))

    def stream(self, method: Method[Q, A], request: Q, timeout: float | None) -> Iterator[A]:
        call = self.open(method, request, timeout)
        try:
            yield from call
        except grpc.RpcError as error:
            raise to_inventory_error(error) from error
        finally:
            call.cancel()

    def open(self, method: Method[Q, A], request: Q, timeout: float | None) -> Any:
        """Returns the stream of grpc."""
        call = self.channel.unary_stream(*method.codec())
        return call(request, timeout=timeout, metadata=self._metadata())

    def upload(self, method: Method[Q, A], requests: Iterable[Q], timeout: float | None) -> A:
        call = self.channel.stream_unary(*method.codec())
        try:
            response: A = call(iter(requests), timeout=timeout, metadata=self._metadata())
            return response
        except grpc.RpcError as error:
            raise to_inventory_error(error) from error

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        return _authorization(self._key())


class AsyncCaller:
    """Makes calls on a channel of asyncio."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        key: Callable[[], str | Awaitable[str]],
        policy: RetryPolicy,
    ) -> None:
        self.channel = channel
        self._key = key
        self._policy = policy

    async def unary(self, method: Method[Q, A], request: Q, timeout: float | None) -> A:
        message, repeatable = make_repeatable(request, method.reads)
        attempts = _Attempts(self._policy, timeout, repeatable=repeatable, reads=method.reads)
        call = self.channel.unary_unary(*method.codec())
        while True:
            metadata = await self._metadata()
            try:
                response: A = await call(message, timeout=attempts.timeout(), metadata=metadata)
                return response
            except grpc.aio.AioRpcError as error:
                delay = attempts.delay(to_inventory_error(error))
            await asyncio.sleep(delay)

    async def stream(
        self, method: Method[Q, A], request: Q, timeout: float | None
    ) -> AsyncIterator[A]:
        call = await self.open(method, request, timeout)
        try:
            async for message in call:
                yield message
        except grpc.aio.AioRpcError as error:
            raise to_inventory_error(error) from error
        finally:
            call.cancel()

    async def open(self, method: Method[Q, A], request: Q, timeout: float | None) -> Any:
        """Returns the stream of grpc."""
        call = self.channel.unary_stream(*method.codec())
        return call(request, timeout=timeout, metadata=await self._metadata())

    async def upload(
        self, method: Method[Q, A], requests: AsyncIterable[Q], timeout: float | None
    ) -> A:
        call = self.channel.stream_unary(*method.codec())
        try:
            response: A = await call(requests, timeout=timeout, metadata=await self._metadata())
            return response
        except grpc.aio.AioRpcError as error:
            raise to_inventory_error(error) from error

    async def _metadata(self) -> tuple[tuple[str, str], ...]:
        key = self._key()
        return _authorization(await key if inspect.isawaitable(key) else key)
