"""Calls the service with the Connect library, over each protocol that it supports."""

import pytest
from connect.google.rpc.error_details_pb import BadRequest, ErrorInfo
from connect.inventory.v1.inventory_connect import InventoryServiceClientSync
from connect.inventory.v1.inventory_pb import (
    InventoryUpdate,
    ListInventoryRequest,
    UpdateInventoryRequest,
    WatchInventoryRequest,
)
from connect.store.v1.store_connect import StoreServiceClientSync
from connect.store.v1.store_pb import ListOrdersRequest
from connectrpc.client import ResponseMetadata
from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.protocol import ProtocolType
from pyqwest import HTTPVersion, SyncClient, SyncHTTPTransport

from service import *

PET = int(env("PET"))

# Without TLS, HTTP/2 must be requested explicitly for gRPC.
http = SyncClient(SyncHTTPTransport(http_version=HTTPVersion.HTTP2))

# The headers of a call, with the API key.
KEY = {"headers": {"authorization": f"Bearer {env('API_KEY')}"}}


class Service:
    """A client of the service for one protocol."""

    def __init__(self, protocol):
        options = {"protocol": protocol, "http_client": http}
        self.inventory = InventoryServiceClientSync(env("URL"), **options)
        self.store = StoreServiceClientSync(env("URL"), **options)

    def update(self, pet, quantity):
        update = InventoryUpdate(quantity=quantity)
        request = UpdateInventoryRequest(pet_id=pet, update=update)
        return self.inventory.update_inventory(request, **KEY)


def detail(error, kind):
    """The error detail of one type."""
    return next(each.value(kind) for each in error.details if each.type_name.endswith(kind.__name__))


@pytest.fixture(params=ProtocolType, ids=lambda protocol: protocol.name)
def service(request):
    return Service(request.param)


def test_updates_and_lists_an_exact_id(service):
    service.update(PET, 11)
    items = service.inventory.list_inventory(ListInventoryRequest(), **KEY).items
    assert [item.quantity for item in items if item.pet_id == PET] == [11]


def test_reads_the_limits(service):
    with ResponseMetadata() as response:
        service.store.list_orders(ListOrdersRequest(), **KEY)
    assert all(response.headers.get(name) for name in LIMITS)
    assert int(response.headers["x-ratelimit-remaining"]) > 0


def test_keeps_a_deadline(service):
    # A watch does not end by itself.
    watch = service.inventory.watch_inventory(WatchInventoryRequest(), timeout_ms=200, **KEY)
    with pytest.raises(ConnectError) as raised:
        list(watch)
    assert raised.value.code is Code.DEADLINE_EXCEEDED


def test_reads_the_details_of_an_error(service):
    with pytest.raises(ConnectError) as raised:
        service.update(PET, -1)
    assert raised.value.code is Code.INVALID_ARGUMENT
    info = detail(raised.value, ErrorInfo)
    assert (info.reason, info.domain) == ("FIELD_INVALID", "inventory")
    assert detail(raised.value, BadRequest).field_violations[0].field == "update.quantity"
