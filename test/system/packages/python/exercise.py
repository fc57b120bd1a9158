"""Uses the client package, and prints what it saw as one line of JSON."""

import asyncio
import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from inventory_client import (
    AdjustInventoryRequest,
    AsyncClient,
    BatchUpdateInventoryRequest,
    CancelOrderRequest,
    Client,
    HoldItem,
    HoldNotConfirmedError,
    InventoryError,
    InventoryUpdate,
    PlaceOrderRequest,
    PutHoldRequest,
    QuantityUpdate,
    ReleaseHoldRequest,
    RetryPolicy,
    UpdateInventoryRequest,
)
from inventory_client.gen.inventory.v1.inventory_pb2 import GetInventoryItemRequest

KEY = os.environ["KEY"]
PET = int(os.environ["PET"])
HELD_PET = int(os.environ["HELD_PET"])


def adjustment(pet_id: int) -> AdjustInventoryRequest:
    return AdjustInventoryRequest(pet_id=pet_id, delta=1, note="hello")


class Watcher:
    """Collects the versions of the changes of a pet, in a thread."""

    def __init__(self, client: Client) -> None:
        self.watched: list[str] = []
        self.resets = 0
        self.disconnects = 0
        self.ready = threading.Event()
        self.changed = threading.Condition()
        self.watch = client.watch(on_disconnect=self.count_disconnect)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def count_disconnect(self, _: InventoryError) -> None:
        self.disconnects += 1

    def run(self) -> None:
        for event in self.watch:
            self.resets += event.reset
            if event.message.HasField("ready"):
                self.ready.set()
            if event.message.change.pet_id == PET:
                with self.changed:
                    self.watched.append(str(event.message.change.version))
                    self.changed.notify()

    def stop_after(self, version: str) -> None:
        with self.changed:
            self.changed.wait_for(lambda: version in self.watched)
        self.watch.close()
        self.thread.join()


def hold_request(hold_id: str, quantity: int = 2) -> PutHoldRequest:
    items = [HoldItem(pet_id=HELD_PET, quantity=quantity)]
    return PutHoldRequest(hold_id=hold_id, items=items)


async def hold_until_cancelled(url: str, retries: RetryPolicy) -> None:
    async with AsyncClient(url, KEY, retries=retries) as client:
        held = asyncio.Event()

        async def checkout() -> None:
            async with client.hold(hold_request("stopped")):
                held.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(checkout())
        await held.wait()
        task.cancel()
        await asyncio.wait([task])


async def hold_async(url: str, retries: RetryPolicy, hold_id: str) -> list[int]:
    async with AsyncClient(url, KEY, retries=retries) as client:
        async with client.hold(hold_request(hold_id)) as hold:
            pass
        return list(hold.order_ids)


def holds(client: Client, url: str, retries: RetryPolicy) -> dict[str, Any]:
    """Three holds are confirmed, two blocks fail, and one hold ends before its block."""
    orders = asyncio.run(hold_async(url, retries, "cart-1"))
    for hold_id in ("cart-2", "cart-3"):
        with client.hold(hold_request(hold_id)) as hold:
            assert not hold.order_ids
        orders.extend(hold.order_ids)
    thrown = not_confirmed = ""
    try:
        with client.hold(hold_request("unpaid")):
            raise RuntimeError("no payment")
    except RuntimeError as error:
        thrown = str(error)
    asyncio.run(hold_until_cancelled(url, retries))
    try:
        with client.hold(hold_request("early")):
            client.store.release_hold(ReleaseHoldRequest(hold_id="early"))
    except HoldNotConfirmedError as error:
        not_confirmed = error.error.reason or ""
    return {
        "orders": [str(order_id) for order_id in orders],
        "thrown": thrown,
        "notConfirmed": not_confirmed,
    }


async def lost_hold(client: AsyncClient, hold_id: str) -> str:
    """Holds a unit at a server that loses responses. Returns how that fails."""
    try:
        async with client.hold(hold_request(hold_id, 1)):
            pass
    except HoldNotConfirmedError as error:
        return f"not confirmed {error.error.code.value[0]}"
    except InventoryError as error:
        return f"not held {error.code.value[0]}"
    return ""


def lossy() -> dict[str, Any]:
    """Writes through a proxy that loses responses, while a watch runs."""
    url, retries = os.environ["LOSSY"], RetryPolicy(attempt_timeout=1)
    client = Client(url, KEY, retries=retries)
    watcher = Watcher(client)
    watcher.ready.wait()

    # A message that is sent again is another write.
    def lane() -> list[str]:
        message = adjustment(PET)
        return [str(client.inventory.adjust_inventory(message).version) for _ in range(5)]

    async def async_lane(client: AsyncClient) -> list[str]:
        message = adjustment(PET)
        return [str((await client.inventory.adjust_inventory(message)).version) for _ in range(5)]

    async def async_lanes() -> list[str]:
        async with AsyncClient(url, KEY, retries=retries) as client:
            first, second = await asyncio.gather(async_lane(client), async_lane(client))
            return first + second

    with ThreadPoolExecutor() as threads:
        lanes = [threads.submit(lane), threads.submit(lane)]
        lanes.append(threads.submit(lambda: asyncio.run(async_lanes())))
        adjusted = [version for done in lanes for version in done.result()]
    orders = [
        str(client.store.place_order(PlaceOrderRequest(pet_id=PET, quantity=1)).order.order_id)
        for _ in range(3)
    ]
    client.inventory.batch_update_inventory(
        # A strict account must say what it expects.
        BatchUpdateInventoryRequest(
            updates=[QuantityUpdate(pet_id=PET + 1, quantity=5, expected_quantity=100)]
        )
    )
    client.inventory.update_inventory(
        UpdateInventoryRequest(
            pet_id=PET + 2, update=InventoryUpdate(quantity=7), expected_quantity=100
        )
    )
    refused = {}
    try:
        client.inventory.adjust_inventory(adjustment(2**63 - 1))
    except InventoryError as error:
        refused = {"reason": error.reason, "petId": error.metadata["petId"]}

    # The last change shows that the watch has all others.
    last = str(client.inventory.adjust_inventory(adjustment(PET)).version)
    watcher.stop_after(last)
    usage: str | int
    try:
        usage = client.usage().usage.name
    except InventoryError as error:
        usage = error.code.value[0]
    return {
        "adjusted": [*adjusted, last],
        "watched": watcher.watched,
        "resets": watcher.resets,
        "disconnects": watcher.disconnects,
        "orders": orders,
        "refused": refused,
        "items": sum(1 for _ in client.items()),
        "usage": usage,
        "holds": holds(client, url, retries),
    }


def outcome_of(error: InventoryError) -> str:
    """Returns what an error says about the change."""
    earlier = str(error).endswith(" An earlier attempt may have made the change.")
    return error.metadata.get("changeOutcome", "") + (", earlier" if earlier else "")


async def outcome_of_adjustment(client: AsyncClient, pet_id: int) -> str:
    try:
        await client.inventory.adjust_inventory(adjustment(pet_id))
    except InventoryError as error:
        return outcome_of(error)
    return "adjusted"


async def scripted(url: str) -> dict[str, Any]:
    """Calls a server that refuses calls."""
    async with AsyncClient(url, KEY) as client:
        limited = await client.inventory.adjust_inventory(adjustment(int(os.environ["LIMITED_PET"])))
        quarantined, cancelled = "", 0
        try:
            await client.inventory.adjust_inventory(adjustment(int(os.environ["QUARANTINED_PET"])))
        except InventoryError as error:
            quarantined = error.reason or "none"
        try:
            await client.store.cancel_order(CancelOrderRequest(order_id=1))
        except InventoryError as error:
            cancelled = error.code.value[0]
        outcomes = [
            await outcome_of_adjustment(client, int(pet_id))
            for pet_id in os.environ["OUTCOME_PETS"].split(",")
        ]
        read_outcome = "read"
        try:
            request = GetInventoryItemRequest(pet_id=int(os.environ["READ_PET"]))
            await client.inventory.get_inventory_item(request)
        except InventoryError as error:
            read_outcome = outcome_of(error)
        events = []
        async for event in client.watch():
            events.append(event.message.WhichOneof("event"))
            if events[-1] == "ready":
                break
        return {
            "limited": limited.item.quantity,
            "quarantined": quarantined,
            "cancelled": cancelled,
            "events": events,
            "outcomes": outcomes,
            "readOutcome": read_outcome,
            "lostHolds": [await lost_hold(client, id) for id in ("put-lost", "confirm-lost")],
        }


print(json.dumps({"lossy": lossy(), "scripted": asyncio.run(scripted(os.environ["SCRIPTED"]))}))
