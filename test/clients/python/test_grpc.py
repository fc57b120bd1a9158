"""Calls the service with grpcio."""

import time
from urllib.parse import urlsplit

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from grpc_status import rpc_status

from admin.v1 import admin_pb2, admin_pb2_grpc
from inventory.v1 import inventory_pb2, inventory_pb2_grpc
from service import *
from store.v1 import store_pb2, store_pb2_grpc

channel = grpc.insecure_channel(urlsplit(env("URL")).netloc)
down = grpc.insecure_channel(urlsplit(env("DOWN_URL")).netloc)
inventory = inventory_pb2_grpc.InventoryServiceStub(channel)
store = store_pb2_grpc.StoreServiceStub(channel)
admin = admin_pb2_grpc.AdminServiceStub(channel)

PET = int(env("PET"))


def key(name):
    """The metadata of a call, with the API key."""
    return {"metadata": [("authorization", f"Bearer {env(name)}")]}


def list_inventory(**options):
    return inventory.ListInventory(inventory_pb2.ListInventoryRequest(), **options)


def update(pet, quantity, by="API_KEY", **fields):
    request = inventory_pb2.UpdateInventoryRequest(
        pet_id=pet, update={"quantity": quantity}, **fields
    )
    return inventory.UpdateInventory(request, **key(by))


def cancel(order):
    return store.CancelOrder(store_pb2.CancelOrderRequest(order_id=order), **key("API_KEY"))


def release(hold):
    return store.ReleaseHold(store_pb2.ReleaseHoldRequest(hold_id=hold), **key("API_KEY"))


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
    "KEY_INVALID": lambda: list_inventory(metadata=[("authorization", "Bearer inv_none")]),
    "KEY_REVOKED": lambda: list_inventory(**key("REVOKED_KEY")),
    "KEY_EXPIRED": lambda: list_inventory(**key("EXPIRED_KEY")),
    "ACCOUNT_DISABLED": lambda: list_inventory(**key("DISABLED_KEY")),
    "ADDRESS_NOT_ALLOWED": lambda: list_inventory(**key("BOUND_KEY")),
    "KEY_BANNED": lambda: list_inventory(**key("BANNED_KEY")),
    "ADDRESS_LIMITED": lambda: list_inventory(
        metadata=[("x-forwarded-for", env("DRAINED_ADDRESS"))]
    ),
    "SCOPE_MISSING": lambda: update(PET, 1, by="READ_KEY"),
    "FIELD_INVALID": lambda: update(PET, -1),
    "PET_NOT_FOUND": lambda: update(UNKNOWN_PET, 1),
    "PET_EXISTS": lambda: admin.CreateItem(
        admin_pb2.CreateItemRequest(
            item={"pet_id": PET, "quantity": 1, "status": "PET_STATUS_SOLD"}
        ),
        **key("ADMIN_KEY"),
    ),
    "ORDER_NOT_FOUND": lambda: cancel(UNKNOWN_ORDER),
    "ORDER_STATUS": lambda: cancel(int(env("DELIVERED_ORDER"))),
    "HOLD_NOT_FOUND": lambda: release(UNKNOWN_HOLD),
    "HOLD_ENDED": lambda: release(env("CONFIRMED_HOLD")),
    "PET_HELD": lambda: admin.RemoveItem(
        admin_pb2.RemoveItemRequest(pet_id=int(env("HELD_PET"))), **key("ADMIN_KEY")
    ),
    "STOCK_TOO_LARGE": lambda: cancel(int(env("FULL_ORDER"))),
    "STOCK_TOO_SMALL": lambda: store.PlaceOrder(
        store_pb2.PlaceOrderRequest(pet_id=PET, quantity=2**31 - 1), **key("API_KEY")
    ),
    "VERSION_MISMATCH": lambda: update(PET, 1, expected_version=2**63 - 1),
    "QUANTITY_MISMATCH": lambda: update(PET, 1, expected_quantity=2**31 - 1),
    "CONDITION_REQUIRED": lambda: update(PET, 1, by="STRICT_KEY"),
    "IDEMPOTENCY_KEY_REQUIRED": lambda: store.PlaceOrder(
        store_pb2.PlaceOrderRequest(pet_id=PET, quantity=1), **key("STRICT_KEY")
    ),
    "IDEMPOTENCY_KEY_REUSED": lambda: [
        update(PET, quantity, idempotency_key="once") for quantity in (1, 2)
    ],
    "MESSAGE_TOO_LARGE": lambda: update(PET, 1, note="z" * 100_000),
    "ACCOUNT_NOT_FOUND": lambda: admin.GetAccount(
        admin_pb2.GetAccountRequest(account_id=UNKNOWN_ACCOUNT), **key("ADMIN_KEY")
    ),
    "OWN_ACCOUNT": lambda: admin.DisableAccount(
        admin_pb2.DisableAccountRequest(account_id=env("ADMIN_ACCOUNT")), **key("ADMIN_KEY")
    ),
    "KEY_NOT_FOUND": lambda: admin.RevokeKey(
        admin_pb2.RevokeKeyRequest(key_id=UNKNOWN_KEY), **key("ADMIN_KEY")
    ),
    "KEY_NOT_VALID": lambda: admin.RotateKey(
        admin_pb2.RotateKeyRequest(key_id=env("REVOKED_KEY_ID")), **key("ADMIN_KEY")
    ),
    "TOO_MANY_KEYS": lambda: admin.CreateKey(
        admin_pb2.CreateKeyRequest(account_id=env("FULL_ACCOUNT")), **key("ADMIN_KEY")
    ),
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
    if reason in PASSING:
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
