"""A client of the inventory service, for threads (Client) and for asyncio (AsyncClient)."""

from .client import AsyncClient, Client
from .errors import InventoryError
from .gen.inventory.v1.inventory_pb2 import (
    AdjustInventoryRequest,
    BatchAdjustInventoryRequest,
    BatchUpdateInventoryRequest,
    InventoryChange,
    InventoryItem,
    InventoryUpdate,
    PetStatus,
    QuantityAdjustment,
    QuantityUpdate,
    UpdateInventoryRequest,
)
from .gen.store.v1.store_pb2 import (
    CancelOrderRequest,
    ConfirmHoldRequest,
    Hold,
    HoldItem,
    HoldState,
    Order,
    OrderStatus,
    PlaceOrderRequest,
    PutHoldRequest,
    ReleaseHoldRequest,
)
from .gen.usage.v1.usage_pb2 import AccountUsage, GetUsageResponse
from .holds import HoldNotConfirmedError
from .reasons import Reason
from .retry import RetryPolicy
from .watch import Watch, WatchEvent

__all__ = [
    "AccountUsage",
    "AdjustInventoryRequest",
    "AsyncClient",
    "BatchAdjustInventoryRequest",
    "BatchUpdateInventoryRequest",
    "CancelOrderRequest",
    "Client",
    "ConfirmHoldRequest",
    "GetUsageResponse",
    "Hold",
    "HoldItem",
    "HoldNotConfirmedError",
    "HoldState",
    "InventoryChange",
    "InventoryError",
    "InventoryItem",
    "InventoryUpdate",
    "Order",
    "OrderStatus",
    "PetStatus",
    "PlaceOrderRequest",
    "PutHoldRequest",
    "QuantityAdjustment",
    "QuantityUpdate",
    "Reason",
    "ReleaseHoldRequest",
    "RetryPolicy",
    "UpdateInventoryRequest",
    "Watch",
    "WatchEvent",
]
