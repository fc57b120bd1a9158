import datetime

from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from inventory_client.gen.inventory.v1 import inventory_pb2 as _inventory_pb2
from inventory_client.gen.rules.v1 import rules_pb2 as _rules_pb2
from inventory_client.gen.store.v1 import store_pb2 as _store_pb2
from inventory_client.gen.usage.v1 import usage_pb2 as _usage_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Plan(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAN_UNSPECIFIED: _ClassVar[Plan]
    PLAN_FREE: _ClassVar[Plan]
    PLAN_PRO: _ClassVar[Plan]
    PLAN_BUSINESS: _ClassVar[Plan]
    PLAN_ENTERPRISE: _ClassVar[Plan]

class TopAccountsOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOP_ACCOUNTS_ORDER_UNSPECIFIED: _ClassVar[TopAccountsOrder]
    TOP_ACCOUNTS_ORDER_REQUESTS: _ClassVar[TopAccountsOrder]
    TOP_ACCOUNTS_ORDER_REFUSED: _ClassVar[TopAccountsOrder]

class AuditEntryKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AUDIT_ENTRY_KIND_UNSPECIFIED: _ClassVar[AuditEntryKind]
    AUDIT_ENTRY_KIND_BEGIN: _ClassVar[AuditEntryKind]
    AUDIT_ENTRY_KIND_END: _ClassVar[AuditEntryKind]
    AUDIT_ENTRY_KIND_CALL: _ClassVar[AuditEntryKind]
    AUDIT_ENTRY_KIND_REFUSED: _ClassVar[AuditEntryKind]
PLAN_UNSPECIFIED: Plan
PLAN_FREE: Plan
PLAN_PRO: Plan
PLAN_BUSINESS: Plan
PLAN_ENTERPRISE: Plan
TOP_ACCOUNTS_ORDER_UNSPECIFIED: TopAccountsOrder
TOP_ACCOUNTS_ORDER_REQUESTS: TopAccountsOrder
TOP_ACCOUNTS_ORDER_REFUSED: TopAccountsOrder
AUDIT_ENTRY_KIND_UNSPECIFIED: AuditEntryKind
AUDIT_ENTRY_KIND_BEGIN: AuditEntryKind
AUDIT_ENTRY_KIND_END: AuditEntryKind
AUDIT_ENTRY_KIND_CALL: AuditEntryKind
AUDIT_ENTRY_KIND_REFUSED: AuditEntryKind

class Limits(_message.Message):
    __slots__ = ("per_minute", "per_day")
    PER_MINUTE_FIELD_NUMBER: _ClassVar[int]
    PER_DAY_FIELD_NUMBER: _ClassVar[int]
    per_minute: int
    per_day: int
    def __init__(self, per_minute: _Optional[int] = ..., per_day: _Optional[int] = ...) -> None: ...

class Account(_message.Message):
    __slots__ = ("account_id", "name", "plan", "limits", "created_at", "disabled_at")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    DISABLED_AT_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    name: str
    plan: Plan
    limits: Limits
    created_at: _timestamp_pb2.Timestamp
    disabled_at: _timestamp_pb2.Timestamp
    def __init__(self, account_id: _Optional[str] = ..., name: _Optional[str] = ..., plan: _Optional[_Union[Plan, str]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., disabled_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Key(_message.Message):
    __slots__ = ("key_id", "account_id", "name", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at", "banned_until")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    REVOKED_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_USED_AT_FIELD_NUMBER: _ClassVar[int]
    BANNED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    account_id: str
    name: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    created_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    revoked_at: _timestamp_pb2.Timestamp
    last_used_at: _timestamp_pb2.Timestamp
    banned_until: _timestamp_pb2.Timestamp
    def __init__(self, key_id: _Optional[str] = ..., account_id: _Optional[str] = ..., name: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revoked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_used_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., banned_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateAccountRequest(_message.Message):
    __slots__ = ("name", "plan", "limits")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    name: str
    plan: Plan
    limits: Limits
    def __init__(self, name: _Optional[str] = ..., plan: _Optional[_Union[Plan, str]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ...) -> None: ...

class CreateAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class GetAccountRequest(_message.Message):
    __slots__ = ("account_id",)
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    def __init__(self, account_id: _Optional[str] = ...) -> None: ...

class GetAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class ListAccountsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListAccountsResponse(_message.Message):
    __slots__ = ("accounts", "next_page_token")
    ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    accounts: _containers.RepeatedCompositeFieldContainer[Account]
    next_page_token: str
    def __init__(self, accounts: _Optional[_Iterable[_Union[Account, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class SetPlanRequest(_message.Message):
    __slots__ = ("account_id", "plan", "limits")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    plan: Plan
    limits: Limits
    def __init__(self, account_id: _Optional[str] = ..., plan: _Optional[_Union[Plan, str]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ...) -> None: ...

class SetPlanResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class RenameAccountRequest(_message.Message):
    __slots__ = ("account_id", "name")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    name: str
    def __init__(self, account_id: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class RenameAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class DisableAccountRequest(_message.Message):
    __slots__ = ("account_id",)
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    def __init__(self, account_id: _Optional[str] = ...) -> None: ...

class DisableAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class EnableAccountRequest(_message.Message):
    __slots__ = ("account_id",)
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    def __init__(self, account_id: _Optional[str] = ...) -> None: ...

class EnableAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class DeleteAccountRequest(_message.Message):
    __slots__ = ("account_id", "validate_only")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_ONLY_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    validate_only: bool
    def __init__(self, account_id: _Optional[str] = ..., validate_only: _Optional[bool] = ...) -> None: ...

class DeleteAccountResponse(_message.Message):
    __slots__ = ("account", "keys", "orders")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    ORDERS_FIELD_NUMBER: _ClassVar[int]
    account: Account
    keys: int
    orders: int
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ..., keys: _Optional[int] = ..., orders: _Optional[int] = ...) -> None: ...

class GetAccountUsageRequest(_message.Message):
    __slots__ = ("account_id",)
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    def __init__(self, account_id: _Optional[str] = ...) -> None: ...

class GetAccountUsageResponse(_message.Message):
    __slots__ = ("usage",)
    USAGE_FIELD_NUMBER: _ClassVar[int]
    usage: _usage_pb2.AccountUsage
    def __init__(self, usage: _Optional[_Union[_usage_pb2.AccountUsage, _Mapping]] = ...) -> None: ...

class ListTopAccountsRequest(_message.Message):
    __slots__ = ("page_size", "order")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    order: TopAccountsOrder
    def __init__(self, page_size: _Optional[int] = ..., order: _Optional[_Union[TopAccountsOrder, str]] = ...) -> None: ...

class TopAccount(_message.Message):
    __slots__ = ("account", "today", "minute", "day", "banned_keys")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TODAY_FIELD_NUMBER: _ClassVar[int]
    MINUTE_FIELD_NUMBER: _ClassVar[int]
    DAY_FIELD_NUMBER: _ClassVar[int]
    BANNED_KEYS_FIELD_NUMBER: _ClassVar[int]
    account: Account
    today: _usage_pb2.RequestCounts
    minute: _usage_pb2.LimitWindow
    day: _usage_pb2.LimitWindow
    banned_keys: int
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ..., today: _Optional[_Union[_usage_pb2.RequestCounts, _Mapping]] = ..., minute: _Optional[_Union[_usage_pb2.LimitWindow, _Mapping]] = ..., day: _Optional[_Union[_usage_pb2.LimitWindow, _Mapping]] = ..., banned_keys: _Optional[int] = ...) -> None: ...

class ListTopAccountsResponse(_message.Message):
    __slots__ = ("accounts",)
    ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    accounts: _containers.RepeatedCompositeFieldContainer[TopAccount]
    def __init__(self, accounts: _Optional[_Iterable[_Union[TopAccount, _Mapping]]] = ...) -> None: ...

class CreateKeyRequest(_message.Message):
    __slots__ = ("account_id", "name", "scopes", "expires_at")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    name: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, account_id: _Optional[str] = ..., name: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateKeyResponse(_message.Message):
    __slots__ = ("secret", "key")
    SECRET_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    secret: str
    key: Key
    def __init__(self, secret: _Optional[str] = ..., key: _Optional[_Union[Key, _Mapping]] = ...) -> None: ...

class ListKeysRequest(_message.Message):
    __slots__ = ("account_id",)
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    def __init__(self, account_id: _Optional[str] = ...) -> None: ...

class ListKeysResponse(_message.Message):
    __slots__ = ("keys",)
    KEYS_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[Key]
    def __init__(self, keys: _Optional[_Iterable[_Union[Key, _Mapping]]] = ...) -> None: ...

class ListAllKeysRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListAllKeysResponse(_message.Message):
    __slots__ = ("keys", "next_page_token")
    KEYS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[Key]
    next_page_token: str
    def __init__(self, keys: _Optional[_Iterable[_Union[Key, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListBansRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class Ban(_message.Message):
    __slots__ = ("key", "account_name", "level")
    KEY_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    key: Key
    account_name: str
    level: int
    def __init__(self, key: _Optional[_Union[Key, _Mapping]] = ..., account_name: _Optional[str] = ..., level: _Optional[int] = ...) -> None: ...

class ListBansResponse(_message.Message):
    __slots__ = ("bans", "next_page_token")
    BANS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    bans: _containers.RepeatedCompositeFieldContainer[Ban]
    next_page_token: str
    def __init__(self, bans: _Optional[_Iterable[_Union[Ban, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RevokeKeyRequest(_message.Message):
    __slots__ = ("key_id",)
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    def __init__(self, key_id: _Optional[str] = ...) -> None: ...

class RevokeKeyResponse(_message.Message):
    __slots__ = ("key",)
    KEY_FIELD_NUMBER: _ClassVar[int]
    key: Key
    def __init__(self, key: _Optional[_Union[Key, _Mapping]] = ...) -> None: ...

class RotateKeyRequest(_message.Message):
    __slots__ = ("key_id", "grace")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    GRACE_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    grace: _duration_pb2.Duration
    def __init__(self, key_id: _Optional[str] = ..., grace: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RotateKeyResponse(_message.Message):
    __slots__ = ("secret", "key", "rotated")
    SECRET_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    ROTATED_FIELD_NUMBER: _ClassVar[int]
    secret: str
    key: Key
    rotated: Key
    def __init__(self, secret: _Optional[str] = ..., key: _Optional[_Union[Key, _Mapping]] = ..., rotated: _Optional[_Union[Key, _Mapping]] = ...) -> None: ...

class UnbanKeyRequest(_message.Message):
    __slots__ = ("key_id",)
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    def __init__(self, key_id: _Optional[str] = ...) -> None: ...

class UnbanKeyResponse(_message.Message):
    __slots__ = ("key",)
    KEY_FIELD_NUMBER: _ClassVar[int]
    key: Key
    def __init__(self, key: _Optional[_Union[Key, _Mapping]] = ...) -> None: ...

class CreateItemRequest(_message.Message):
    __slots__ = ("item",)
    ITEM_FIELD_NUMBER: _ClassVar[int]
    item: _inventory_pb2.InventoryItem
    def __init__(self, item: _Optional[_Union[_inventory_pb2.InventoryItem, _Mapping]] = ...) -> None: ...

class CreateItemResponse(_message.Message):
    __slots__ = ("item",)
    ITEM_FIELD_NUMBER: _ClassVar[int]
    item: _inventory_pb2.InventoryItem
    def __init__(self, item: _Optional[_Union[_inventory_pb2.InventoryItem, _Mapping]] = ...) -> None: ...

class ImportItemsRequest(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_inventory_pb2.InventoryItem]
    def __init__(self, items: _Optional[_Iterable[_Union[_inventory_pb2.InventoryItem, _Mapping]]] = ...) -> None: ...

class ImportItemsResponse(_message.Message):
    __slots__ = ("created", "updated")
    CREATED_FIELD_NUMBER: _ClassVar[int]
    UPDATED_FIELD_NUMBER: _ClassVar[int]
    created: int
    updated: int
    def __init__(self, created: _Optional[int] = ..., updated: _Optional[int] = ...) -> None: ...

class ImportInventoryRequest(_message.Message):
    __slots__ = ("items", "idempotency_key")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_inventory_pb2.InventoryItem]
    idempotency_key: str
    def __init__(self, items: _Optional[_Iterable[_Union[_inventory_pb2.InventoryItem, _Mapping]]] = ..., idempotency_key: _Optional[str] = ...) -> None: ...

class ImportInventoryResponse(_message.Message):
    __slots__ = ("rows", "created", "updated")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    UPDATED_FIELD_NUMBER: _ClassVar[int]
    rows: int
    created: int
    updated: int
    def __init__(self, rows: _Optional[int] = ..., created: _Optional[int] = ..., updated: _Optional[int] = ...) -> None: ...

class SetItemStatusRequest(_message.Message):
    __slots__ = ("pet_id", "status")
    PET_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    pet_id: int
    status: _inventory_pb2.PetStatus
    def __init__(self, pet_id: _Optional[int] = ..., status: _Optional[_Union[_inventory_pb2.PetStatus, str]] = ...) -> None: ...

class SetItemStatusResponse(_message.Message):
    __slots__ = ("item",)
    ITEM_FIELD_NUMBER: _ClassVar[int]
    item: _inventory_pb2.InventoryItem
    def __init__(self, item: _Optional[_Union[_inventory_pb2.InventoryItem, _Mapping]] = ...) -> None: ...

class RemoveItemRequest(_message.Message):
    __slots__ = ("pet_id",)
    PET_ID_FIELD_NUMBER: _ClassVar[int]
    pet_id: int
    def __init__(self, pet_id: _Optional[int] = ...) -> None: ...

class RemoveItemResponse(_message.Message):
    __slots__ = ("item",)
    ITEM_FIELD_NUMBER: _ClassVar[int]
    item: _inventory_pb2.InventoryItem
    def __init__(self, item: _Optional[_Union[_inventory_pb2.InventoryItem, _Mapping]] = ...) -> None: ...

class ListOrdersRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "account_id", "status")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    account_id: str
    status: _store_pb2.OrderStatus
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., account_id: _Optional[str] = ..., status: _Optional[_Union[_store_pb2.OrderStatus, str]] = ...) -> None: ...

class AccountOrder(_message.Message):
    __slots__ = ("account_id", "order")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    order: _store_pb2.Order
    def __init__(self, account_id: _Optional[str] = ..., order: _Optional[_Union[_store_pb2.Order, _Mapping]] = ...) -> None: ...

class ListOrdersResponse(_message.Message):
    __slots__ = ("orders", "next_page_token")
    ORDERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    orders: _containers.RepeatedCompositeFieldContainer[AccountOrder]
    next_page_token: str
    def __init__(self, orders: _Optional[_Iterable[_Union[AccountOrder, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CancelOrderRequest(_message.Message):
    __slots__ = ("account_id", "order_id")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    ORDER_ID_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    order_id: int
    def __init__(self, account_id: _Optional[str] = ..., order_id: _Optional[int] = ...) -> None: ...

class CancelOrderResponse(_message.Message):
    __slots__ = ("order",)
    ORDER_FIELD_NUMBER: _ClassVar[int]
    order: _store_pb2.Order
    def __init__(self, order: _Optional[_Union[_store_pb2.Order, _Mapping]] = ...) -> None: ...

class AdvanceOrderRequest(_message.Message):
    __slots__ = ("account_id", "order_id", "status")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    ORDER_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    order_id: int
    status: _store_pb2.OrderStatus
    def __init__(self, account_id: _Optional[str] = ..., order_id: _Optional[int] = ..., status: _Optional[_Union[_store_pb2.OrderStatus, str]] = ...) -> None: ...

class AdvanceOrderResponse(_message.Message):
    __slots__ = ("order",)
    ORDER_FIELD_NUMBER: _ClassVar[int]
    order: _store_pb2.Order
    def __init__(self, order: _Optional[_Union[_store_pb2.Order, _Mapping]] = ...) -> None: ...

class AuditEntry(_message.Message):
    __slots__ = ("sequence", "time", "kind", "begin_sequence", "key_id", "account_id", "operator", "request_id", "method", "targets", "code", "reason", "body", "previous_hash", "hash")
    class TargetsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    BEGIN_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_HASH_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    time: _timestamp_pb2.Timestamp
    kind: AuditEntryKind
    begin_sequence: int
    key_id: str
    account_id: str
    operator: str
    request_id: str
    method: str
    targets: _containers.ScalarMap[str, str]
    code: str
    reason: str
    body: str
    previous_hash: str
    hash: str
    def __init__(self, sequence: _Optional[int] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., kind: _Optional[_Union[AuditEntryKind, str]] = ..., begin_sequence: _Optional[int] = ..., key_id: _Optional[str] = ..., account_id: _Optional[str] = ..., operator: _Optional[str] = ..., request_id: _Optional[str] = ..., method: _Optional[str] = ..., targets: _Optional[_Mapping[str, str]] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ..., body: _Optional[str] = ..., previous_hash: _Optional[str] = ..., hash: _Optional[str] = ...) -> None: ...

class AuditTrail(_message.Message):
    __slots__ = ("oldest_sequence", "anchor_hash", "newest_sequence", "newest_hash")
    OLDEST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_HASH_FIELD_NUMBER: _ClassVar[int]
    NEWEST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    NEWEST_HASH_FIELD_NUMBER: _ClassVar[int]
    oldest_sequence: int
    anchor_hash: str
    newest_sequence: int
    newest_hash: str
    def __init__(self, oldest_sequence: _Optional[int] = ..., anchor_hash: _Optional[str] = ..., newest_sequence: _Optional[int] = ..., newest_hash: _Optional[str] = ...) -> None: ...

class ListAuditEntriesRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "after_sequence", "actor", "method", "start_time", "end_time")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    after_sequence: int
    actor: str
    method: str
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., after_sequence: _Optional[int] = ..., actor: _Optional[str] = ..., method: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListAuditEntriesResponse(_message.Message):
    __slots__ = ("entries", "next_page_token", "trail")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TRAIL_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[AuditEntry]
    next_page_token: str
    trail: AuditTrail
    def __init__(self, entries: _Optional[_Iterable[_Union[AuditEntry, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., trail: _Optional[_Union[AuditTrail, _Mapping]] = ...) -> None: ...
