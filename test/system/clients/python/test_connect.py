"""Calls the service with the Connect library, over each protocol that it supports."""

import time

import pytest
from connect.google.rpc.error_details_pb import BadRequest, ErrorInfo, RetryInfo
from connect.inventory.v1.inventory_connect import InventoryServiceClientSync
from connect.inventory.v1.inventory_pb import (
    InventoryUpdate,
    ListInventoryRequest,
    UpdateInventoryRequest,
    WatchInventoryRequest,
)
from connect.store.v1.store_connect import StoreServiceClientSync
from connect.store.v1.store_pb import ListOrdersRequest, PlaceOrderRequest
from connectrpc.client import ResponseMetadata
from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.protocol import ProtocolType
from pyqwest import HTTPVersion, SyncClient, SyncHTTPTransport

from service import *

PET = int(env("PET"))

# Without TLS, HTTP/2 must be requested explicitly for gRPC.
http = SyncClient(SyncHTTPTransport(http_version=HTTPVersion.HTTP2))


def key(name):
    """The headers of a call, with the API key."""
    return {"headers": {"authorization": f"Bearer {env(name)}"}}


class Service:
    """A client of the service for one protocol."""

    def __init__(self, protocol):
        options = {"protocol": protocol, "http_client": http}
        self.inventory = InventoryServiceClientSync(env("URL"), **options)
        self.store = StoreServiceClientSync(env("URL"), **options)
        self.down = InventoryServiceClientSync(env("DOWN_URL"), **options)

    def list(self, **options):
        return self.inventory.list_inventory(ListInventoryRequest(), **options)

    def update(self, pet, quantity, **fields):
        update = InventoryUpdate(quantity=quantity)
        request = UpdateInventoryRequest(pet_id=pet, update=update, **fields)
        return self.inventory.update_inventory(request, **key("API_KEY"))


CALLS = {
    "KEY_MISSING": lambda on: on.list(),
    "FIELD_INVALID": lambda on: on.update(PET, -1),
    "PET_NOT_FOUND": lambda on: on.update(UNKNOWN_PET, 1),
    "STOCK_TOO_SMALL": lambda on: on.store.place_order(
        PlaceOrderRequest(pet_id=PET, quantity=2**31 - 1), **key("API_KEY")
    ),
    "VERSION_MISMATCH": lambda on: on.update(PET, 1, expected_version=2**63 - 1),
    "MESSAGE_TOO_LARGE": lambda on: on.update(PET, 1, note="z" * 100_000),
    "STORE_UNAVAILABLE": lambda on: on.down.list_inventory(ListInventoryRequest(), **key("API_KEY")),
}


def detail(error, kind):
    """The error detail of one type."""
    return next(each.value(kind) for each in error.details if each.type_name.endswith(kind.__name__))


@pytest.fixture(params=ProtocolType, ids=lambda protocol: protocol.name)
def service(request):
    return Service(request.param)


def test_updates_and_lists_an_exact_id(service):
    service.update(PET, 11)
    items = service.list(**key("API_KEY")).items
    assert [item.quantity for item in items if item.pet_id == PET] == [11]


def test_reads_the_limits(service):
    with ResponseMetadata() as response:
        service.store.list_orders(ListOrdersRequest(), **key("API_KEY"))
    assert all(response.headers.get(name) for name in LIMITS)
    assert int(response.headers["x-ratelimit-remaining"]) > 0


def test_keeps_a_deadline(service):
    # A watch does not end by itself.
    watch = service.inventory.watch_inventory(
        WatchInventoryRequest(), timeout_ms=200, **key("API_KEY")
    )
    with pytest.raises(ConnectError) as raised:
        list(watch)
    assert raised.value.code is Code.DEADLINE_EXCEEDED


@pytest.mark.parametrize("reason", REFUSALS)
def test_refused(service, reason):
    code, metadata = REFUSALS[reason]
    with pytest.raises(ConnectError) as raised:
        CALLS[reason](service)
    error = raised.value
    info = detail(error, ErrorInfo)
    assert error.code.name == code
    assert (info.reason, info.domain) == (reason, "inventory")
    assert metadata is None or metadata in info.metadata
    if reason == "STORE_UNAVAILABLE":  # temporary: it says how long to wait
        assert detail(error, RetryInfo).retry_delay.seconds >= 1
    if reason == "FIELD_INVALID":
        assert detail(error, BadRequest).field_violations[0].field == "update.quantity"


def test_retries_after_the_reported_delay_when_refused_RATE_LIMITED(service):
    with pytest.raises(ConnectError) as raised:
        for _ in range(100):
            service.list(**key("LIMITED_KEY"))
    assert detail(raised.value, ErrorInfo).reason == "RATE_LIMITED"
    time.sleep(detail(raised.value, RetryInfo).retry_delay.seconds)
    service.list(**key("LIMITED_KEY"))
