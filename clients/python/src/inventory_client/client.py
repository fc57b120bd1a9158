"""The clients."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from types import TracebackType

import grpc
import grpc.aio

from .calls import CHANNEL_OPTIONS, AsyncCaller, Caller, target_of
from .gen.inventory.v1.inventory_pb2 import (
    InventoryChange,
    InventoryItem,
    ListInventoryChangesRequest,
    ListInventoryRequest,
    ListItemChangesRequest,
)
from .gen.services import (
    AdminService,
    AsyncAdminService,
    AsyncCatalogService,
    AsyncInventoryService,
    AsyncStoreService,
    AsyncUsageService,
    CatalogService,
    InventoryService,
    StoreService,
    UsageService,
)
from .gen.store.v1.store_pb2 import (
    Hold,
    HoldState,
    ListHoldsRequest,
    ListOrdersRequest,
    Order,
    PutHoldRequest,
)
from .gen.usage.v1.usage_pb2 import GetUsageRequest, GetUsageResponse
from .holds import async_hold_units, hold_units
from .retry import RetryPolicy
from .watch import OnDisconnect, Watch, WatchEvent, async_watch

# The most that the service allows. Pages of changes and of holds are smaller.
_PAGE_SIZE = 1000
_SMALL_PAGE_SIZE = 200
# Three heartbeats of a service with the default settings.
_IDLE_TIMEOUT = 45.0


class Client:
    """A client of the inventory service. Any number of threads can use it.

    `base_url` is such as https://inventory.example.com. `api_key` can be a function, which is called for every attempt.
    `credentials` replace those of a TLS connection. `close`, or the end of a `with` block, closes the connection.
    """

    inventory: InventoryService
    """The methods of inventory.v1.InventoryService."""

    catalog: CatalogService
    """The methods of catalog.v1.CatalogService."""

    store: StoreService
    """The methods of store.v1.StoreService."""

    admin: AdminService
    """The methods of admin.v1.AdminService, for keys with the scope admin."""

    def __init__(
        self,
        base_url: str,
        api_key: str | Callable[[], str],
        *,
        retries: RetryPolicy = RetryPolicy(),
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        target, tls = target_of(base_url)
        channel = (
            grpc.secure_channel(target, credentials or grpc.ssl_channel_credentials(), CHANNEL_OPTIONS)
            if tls
            else grpc.insecure_channel(target, CHANNEL_OPTIONS)
        )
        key = (lambda: api_key) if isinstance(api_key, str) else api_key
        self._caller = Caller(channel, key, retries)
        self.inventory = InventoryService(self._caller)
        self.catalog = CatalogService(self._caller)
        self.store = StoreService(self._caller)
        self.admin = AdminService(self._caller)
        self._usage = UsageService(self._caller)

    def items(self) -> Iterator[InventoryItem]:
        """Yields all items, in ascending order of pet id. Reads a page when its first item is needed."""
        request = ListInventoryRequest(page_size=_PAGE_SIZE)
        while True:
            page = self.inventory.list_inventory(request)
            yield from page.items
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def changes(self) -> Iterator[InventoryChange]:
        """Yields the history of all pets, newest change first."""
        request = ListInventoryChangesRequest(page_size=_SMALL_PAGE_SIZE)
        while True:
            page = self.inventory.list_inventory_changes(request)
            yield from page.changes
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def item_changes(self, pet_id: int) -> Iterator[InventoryChange]:
        """Yields the history of one pet, newest change first."""
        request = ListItemChangesRequest(pet_id=pet_id, page_size=_SMALL_PAGE_SIZE)
        while True:
            page = self.inventory.list_item_changes(request)
            yield from page.changes
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def orders(self) -> Iterator[Order]:
        """Yields the orders of the account, newest first."""
        request = ListOrdersRequest(page_size=_PAGE_SIZE)
        while True:
            page = self.store.list_orders(request)
            yield from page.orders
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def holds(self, *states: HoldState) -> Iterator[Hold]:
        """Yields the holds of the account in these states, or the active ones, those that began last first."""
        request = ListHoldsRequest(page_size=_SMALL_PAGE_SIZE, state=states)
        while True:
            page = self.store.list_holds(request)
            yield from page.holds
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def hold(self, request: PutHoldRequest) -> AbstractContextManager[Hold]:
        """Holds units for a `with` block. Confirms the hold at the end of the block, and releases it after an exception.

        After the block, the hold has its `order_ids`. Raises InventoryError if the units cannot be held, and
        HoldNotConfirmedError if the block has ended and the hold is not confirmed, such as after its end.
        """
        return hold_units(self.store, request)

    def usage(self, *, timeout: float | None = None) -> GetUsageResponse:
        """Returns the limits of the account, what is left of them, and its requests in the last hour and the last 30 days."""
        return self._usage.get_usage(GetUsageRequest(), timeout=timeout)

    def watch(
        self,
        resume_token: str = "",
        *,
        idle_timeout: float = _IDLE_TIMEOUT,
        on_disconnect: OnDisconnect | None = None,
    ) -> Watch:
        """Returns an iterator over the whole stock, then every change once and in order. Reconnects by itself.

        The watch reconnects if neither an event nor a heartbeat arrives for `idle_timeout` seconds. It calls
        `on_disconnect` after each lost connection.
        """
        return Watch(self._caller, resume_token, idle_timeout, on_disconnect)

    def close(self) -> None:
        self._caller.channel.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncClient:
    """A client of the inventory service for asyncio. Create it where an event loop runs.

    Its arguments are those of Client; `api_key` can also be an async function.
    """

    inventory: AsyncInventoryService
    """The methods of inventory.v1.InventoryService."""

    catalog: AsyncCatalogService
    """The methods of catalog.v1.CatalogService."""

    store: AsyncStoreService
    """The methods of store.v1.StoreService."""

    admin: AsyncAdminService
    """The methods of admin.v1.AdminService, for keys with the scope admin."""

    def __init__(
        self,
        base_url: str,
        api_key: str | Callable[[], str | Awaitable[str]],
        *,
        retries: RetryPolicy = RetryPolicy(),
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        target, tls = target_of(base_url)
        channel = (
            grpc.aio.secure_channel(
                target, credentials or grpc.ssl_channel_credentials(), CHANNEL_OPTIONS
            )
            if tls
            else grpc.aio.insecure_channel(target, CHANNEL_OPTIONS)
        )
        key = (lambda: api_key) if isinstance(api_key, str) else api_key
        self._caller = AsyncCaller(channel, key, retries)
        self.inventory = AsyncInventoryService(self._caller)
        self.catalog = AsyncCatalogService(self._caller)
        self.store = AsyncStoreService(self._caller)
        self.admin = AsyncAdminService(self._caller)
        self._usage = AsyncUsageService(self._caller)

    async def items(self) -> AsyncIterator[InventoryItem]:
        """Yields all items, in ascending order of pet id. Reads a page when its first item is needed."""
        request = ListInventoryRequest(page_size=_PAGE_SIZE)
        while True:
            page = await self.inventory.list_inventory(request)
            for item in page.items:
                yield item
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def changes(self) -> AsyncIterator[InventoryChange]:
        """Yields the history of all pets, newest change first."""
        request = ListInventoryChangesRequest(page_size=_SMALL_PAGE_SIZE)
        while True:
            page = await self.inventory.list_inventory_changes(request)
            for change in page.changes:
                yield change
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def item_changes(self, pet_id: int) -> AsyncIterator[InventoryChange]:
        """Yields the history of one pet, newest change first."""
        request = ListItemChangesRequest(pet_id=pet_id, page_size=_SMALL_PAGE_SIZE)
        while True:
            page = await self.inventory.list_item_changes(request)
            for change in page.changes:
                yield change
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def orders(self) -> AsyncIterator[Order]:
        """Yields the orders of the account, newest first."""
        request = ListOrdersRequest(page_size=_PAGE_SIZE)
        while True:
            page = await self.store.list_orders(request)
            for order in page.orders:
                yield order
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def holds(self, *states: HoldState) -> AsyncIterator[Hold]:
        """Yields the holds of the account in these states, or the active ones, those that began last first."""
        request = ListHoldsRequest(page_size=_SMALL_PAGE_SIZE, state=states)
        while True:
            page = await self.store.list_holds(request)
            for hold in page.holds:
                yield hold
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def hold(self, request: PutHoldRequest) -> AbstractAsyncContextManager[Hold]:
        """Holds units for an `async with` block: see Client.hold. A cancelled block releases the hold, too."""
        return async_hold_units(self.store, request)

    async def usage(self, *, timeout: float | None = None) -> GetUsageResponse:
        """Returns the limits of the account, what is left of them, and its requests in the last hour and the last 30 days."""
        return await self._usage.get_usage(GetUsageRequest(), timeout=timeout)

    def watch(
        self,
        resume_token: str = "",
        *,
        idle_timeout: float = _IDLE_TIMEOUT,
        on_disconnect: OnDisconnect | None = None,
    ) -> AsyncIterator[WatchEvent]:
        """Yields the whole stock, then every change once and in order. Reconnects by itself: see Client.watch."""
        return async_watch(self._caller, resume_token, idle_timeout, on_disconnect)

    async def close(self) -> None:
        await self._caller.channel.close()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        await self.close()
