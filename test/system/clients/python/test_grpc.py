"""Calls the service with grpcio."""

import time
from urllib.parse import urlsplit

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from grpc_status import rpc_status

from inventory.v1 import inventory_pb2, inventory_pb2_grpc
from service import *
from store.v1 import store_pb2, store_pb2_grpc

channel = grpc.insecure_channel(urlsplit(env("URL")).netloc)
down = grpc.insecure_channel(urlsplit(env("DOWN_URL")).netloc)
inventory = inventory_pb2_grpc.InventoryServiceStub(channel)
store = store_pb2_grpc.StoreServiceStub(channel)

PET = int(env("PET"))


def key(name):
    """The metadata of a call, with the API key."""
    return {"metadata": [("authorization", f"Bearer {env(name)}")]}


def list_inventory(**options):
    return inventory.ListInventory(inventory_pb2.ListInventoryRequest(), **options)


def update(pet, quantity, **fields):
    request = inventory_pb2.UpdateInventoryRequest(
        pet_id=pet, update={"quantity": quantity}, **fields
    )
    return inventory.UpdateInventory(request, **key("API_KEY"))


def details(error):
    """The details of an error, by type name."""
    status = rpc_status.from_call(error)
    found = {}
    for packed in status.details:
        for message in (ErrorInfo(), BadRequest(), RetryInfo()):
            if packed.Unpack(message):
                found[type(message).__name__] = message
    return found


CALLS = {
    "KEY_MISSING": lambda: list_inventory(),
    "FIELD_INVALID": lambda: update(PET, -1),
    "PET_NOT_FOUND": lambda: update(UNKNOWN_PET, 1),
    "STOCK_TOO_SMALL": lambda: store.PlaceOrder(
        store_pb2.PlaceOrderRequest(pet_id=PET, quantity=2**31 - 1), **key("API_KEY")
    ),
    "VERSION_MISMATCH": lambda: update(PET, 1, expected_version=2**63 - 1),
    "MESSAGE_TOO_LARGE": lambda: update(PET, 1, note="z" * 100_000),
    "STORE_UNAVAILABLE": lambda: inventory_pb2_grpc.InventoryServiceStub(down).ListInventory(
        inventory_pb2.ListInventoryRequest(), **key("API_KEY")
    ),
}


def test_updates_and_lists_an_exact_id():
    update(PET, 11)
    items = list_inventory(**key("API_KEY")).items
    assert [item.quantity for item in items if item.pet_id == PET] == [11]


def test_reads_the_limits():
    _, call = store.ListOrders.with_call(store_pb2.ListOrdersRequest(), **key("API_KEY"))
    metadata = dict(call.initial_metadata())
    assert all(metadata.get(name) for name in LIMITS)
    assert int(metadata["x-ratelimit-remaining"]) > 0


def test_keeps_a_deadline():
    # A watch does not end by itself.
    watch = inventory.WatchInventory(
        inventory_pb2.WatchInventoryRequest(), timeout=0.2, **key("API_KEY")
    )
    with pytest.raises(grpc.RpcError) as raised:
        list(watch)
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize("reason", REFUSALS)
def test_refused(reason):
    code, metadata = REFUSALS[reason]
    with pytest.raises(grpc.RpcError) as raised:
        CALLS[reason]()
    found = details(raised.value)
    info = found["ErrorInfo"]
    assert raised.value.code().name == code
    assert (info.reason, info.domain) == (reason, "inventory")
    assert metadata is None or metadata in info.metadata
    if reason == "STORE_UNAVAILABLE":  # temporary: it says how long to wait
        assert found["RetryInfo"].retry_delay.ToSeconds() >= 1
    if reason == "FIELD_INVALID":
        assert found["BadRequest"].field_violations[0].field == "update.quantity"


def test_retries_after_the_reported_delay_when_refused_RATE_LIMITED():
    with pytest.raises(grpc.RpcError) as raised:
        for _ in range(100):
            list_inventory(**key("LIMITED_KEY"))
    found = details(raised.value)
    assert found["ErrorInfo"].reason == "RATE_LIMITED"
    time.sleep(found["RetryInfo"].retry_delay.ToSeconds())
    list_inventory(**key("LIMITED_KEY"))
