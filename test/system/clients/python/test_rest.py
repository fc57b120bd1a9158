"""Calls the REST API with a client generated from its OpenAPI document."""

import httpx
import pytest
from rest import AuthenticatedClient
from rest.api.inventory import list_inventory, update_inventory, watch_inventory
from rest.api.pets import get_pet
from rest.api.store import list_orders
from rest.models import Error, InventoryUpdate

from service import *

PET = int(env("PET"))
client = AuthenticatedClient(base_url=f"{env('URL')}/v1", token=env("API_KEY"))


def update(pet, quantity):
    return update_inventory.sync_detailed(pet, client=client, body=InventoryUpdate(quantity=quantity))


def test_updates_and_lists_an_exact_id():
    assert update(PET, 11).parsed.pet_id == PET
    items = list_inventory.sync(client=client)
    assert [item.quantity for item in items if item.pet_id == PET] == [11]


def test_lists_orders_and_looks_up_a_pet():
    orders = list_orders.sync(client=client)
    assert int(env("ORDER")) in [order.order_id for order in orders]
    assert get_pet.sync(PET, client=client).pet_id == PET


def test_reads_the_limits():
    headers = list_orders.sync_detailed(client=client).headers
    assert all(headers.get(name) for name in LIMITS)
    assert int(headers["x-ratelimit-remaining"]) > 0


def test_keeps_a_deadline():
    # A watch does not end by itself, and sends nothing while nothing changes.
    hurried = client.with_timeout(httpx.Timeout(0.2))
    with pytest.raises(httpx.TimeoutException):
        watch_inventory.sync_detailed(client=hurried)


def test_reads_an_error():
    response = update(PET, -1)
    assert isinstance(response.parsed, Error)
    assert (response.parsed.status, response.parsed.code) == (400, "invalid_argument")
    assert "quantity" in response.parsed.message
