"""Calls the REST API with a client generated from its OpenAPI document."""

import time

import httpx
import pytest
from rest import AuthenticatedClient, Client
from rest.api.inventory import list_inventory, update_inventory, watch_inventory
from rest.api.pets import get_pet
from rest.api.store import list_orders
from rest.models import Error, InventoryUpdate

from service import *

PET = int(env("PET"))
BASE = f"{env('URL')}/v1"


def client(key):
    return AuthenticatedClient(base_url=BASE, token=env(key))


def update(pet, quantity):
    body = InventoryUpdate(quantity=quantity)
    return update_inventory.sync_detailed(pet, client=client("API_KEY"), body=body)


def listed(client):
    return list_inventory.sync_detailed(client=client)


REFUSED = {
    "no key": (401, "unauthenticated", lambda: listed(Client(base_url=BASE))),
    "invalid key": (
        401,
        "unauthenticated",
        lambda: listed(AuthenticatedClient(base_url=BASE, token="inv_none")),
    ),
    "invalid field": (400, "invalid_argument", lambda: update(PET, -1)),
    "unknown pet": (404, "not_found", lambda: update(UNKNOWN_PET, 1)),
    "store down": (
        503,
        "unavailable",
        lambda: listed(AuthenticatedClient(base_url=f"{env('DOWN_URL')}/v1", token=env("API_KEY"))),
    ),
}


def test_updates_and_lists_an_exact_id():
    assert update(PET, 11).parsed.pet_id == PET
    items = listed(client("API_KEY")).parsed
    assert [item.quantity for item in items if item.pet_id == PET] == [11]


def test_lists_orders_and_looks_up_a_pet():
    orders = list_orders.sync(client=client("API_KEY"))
    assert int(env("ORDER")) in [order.order_id for order in orders]
    assert get_pet.sync(PET, client=client("API_KEY")).pet_id == PET


def test_reads_the_limits():
    headers = list_orders.sync_detailed(client=client("API_KEY")).headers
    assert all(headers.get(name) for name in LIMITS)
    assert int(headers["x-ratelimit-remaining"]) > 0


def test_keeps_a_deadline():
    # A watch does not end by itself, and sends nothing while nothing changes.
    hurried = client("API_KEY").with_timeout(httpx.Timeout(0.2))
    with pytest.raises(httpx.TimeoutException):
        watch_inventory.sync_detailed(client=hurried)


def test_sends_its_deadline_to_the_service():
    # A timeout of 0 always passes before the response.
    response = listed(client("API_KEY").with_headers({"x-server-timeout": "0"}))
    assert response.status_code == 504
    assert response.parsed.code == "deadline_exceeded"


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    status, code, call = REFUSED[case]
    response = call()
    assert response.status_code == status
    assert isinstance(response.parsed, Error)
    assert (response.parsed.status, response.parsed.code) == (status, code)
    assert response.parsed.message
    if status == 503:
        assert int(response.headers["retry-after"]) >= 1


def test_retries_after_the_reported_delay_when_refused_for_the_limit():
    responses = (listed(client("LIMITED_KEY")) for _ in range(100))
    refused = next(response for response in responses if response.status_code != 200)
    assert refused.status_code == 429
    time.sleep(int(refused.headers["retry-after"]))
    assert listed(client("LIMITED_KEY")).status_code == 200
