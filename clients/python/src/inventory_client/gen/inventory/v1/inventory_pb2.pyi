import datetime

from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from inventory_client.gen.rules.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PetStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PET_STATUS_UNSPECIFIED: _ClassVar[PetStatus]
    PET_STATUS_AVAILABLE: _ClassVar[PetStatus]
    PET_STATUS_PENDING: _ClassVar[PetStatus]
    PET_STATUS_SOLD: _ClassVar[PetStatus]

class ChangeReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHANGE_REASON_UNSPECIFIED: _ClassVar[ChangeReason]
    CHANGE_REASON_ARRIVAL: _ClassVar[ChangeReason]
    CHANGE_REASON_RETURN: _ClassVar[ChangeReason]
    CHANGE_REASON_ADJUSTMENT: _ClassVar[ChangeReason]
    CHANGE_REASON_ORDER: _ClassVar[ChangeReason]
    CHANGE_REASON_IMPORT: _ClassVar[ChangeReason]
PET_STATUS_UNSPECIFIED: PetStatus
PET_STATUS_AVAILABLE: PetStatus
PET_STATUS_PENDING: PetStatus
PET_STATUS_SOLD: PetStatus
CHANGE_REASON_UNSPECIFIED: ChangeReason
CHANGE_REASON_ARRIVAL: ChangeReason
CHANGE_REASON_RETURN: ChangeReason
CHANGE_REASON_ADJUSTMENT: ChangeReason
CHANGE_REASON_ORDER: ChangeReason
CHANGE_REASON_IMPORT: ChangeReason

class InventoryItem(_message.Message):
    __slots__ = ("pet_id", "quantity", "status")
    PET_ID_FIELD_NUMBER: _ClassVar[int]
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    pet_id: int
    quantity: int
    status: PetStatus
    def __init__(self, pet_id: _Optional[int] = ..., quantity: _Optional[int] = ..., status: _Optional[_Union[PetStatus, str]] = ...) -> None: ...

class InventoryUpdate(_message.Message):
    __slots__ = ("quantity",)
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    quantity: int
    def __init__(self, quantity: _Optional[int] = ...) -> None: ...

class InventoryChange(_message.Message):
    __slots__ = ("version", "pet_id", "quantity_before", "quantity_after", "status", "changed_at", "reason", "note", "reference", "account_id", "key_id", "request_id")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PET_ID_FIELD_NUMBER: _ClassVar[int]
    QUANTITY_BEFORE_FIELD_NUMBER: _ClassVar[int]
    QUANTITY_AFTER_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CHANGED_AT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    version: int
    pet_id: int
    quantity_before: int
    quantity_after: int
    status: PetStatus
    changed_at: _timestamp_pb2.Timestamp
    reason: ChangeReason
    note: str
    reference: str
    account_id: str
    key_id: str
    request_id: str
    def __init__(self, version: _Optional[int] = ..., pet_id: _Optional[int] = ..., quantity_before: _Optional[int] = ..., quantity_after: _Optional[int] = ..., status: _Optional[_Union[PetStatus, str]] = ..., changed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[_Union[ChangeReason, str]] = ..., note: _Optional[str] = ..., reference: _Optional[str] = ..., account_id: _Optional[str] = ..., key_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class QuantityUpdate(_message.Message):
    __slots__ = ("pet_id", "quantity", "expected_version", "expected_quantity")
    PET_ID_FIELD_NUMBER: _ClassVar[int]
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_QUANTITY_FIELD_NUMBER: _ClassVar[int]
    pet_id: int
    quantity: int
    expected_version: int
    expected_quantity: int
    def __init__(self, pet_id: _Optional[int] = ..., quantity: _Optional[int] = ..., expected_version: _Optional[int] = ..., expected_quantity: _Optional[int] = ...) -> None: ...

class VersionedItem(_message.Message):
    __slots__ = ("item", "version")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    item: InventoryItem
    version: int
    def __init__(self, item: _Optional[_Union[InventoryItem, _Mapping]] = ..., version: _Optional[int] = ...) -> None: ...

class ListInventoryRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "read_mask")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    READ_MASK_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    read_mask: _field_mask_pb2.FieldMask
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., read_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ...) -> None: ...

class ListInventoryResponse(_message.Message):
    __slots__ = ("items", "next_page_token", "version")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[InventoryItem]
    next_page_token: str
    version: int
    def __init__(self, items: _Optional[_Iterable[_Union[InventoryItem, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., version: _Optional[int] = ...) -> None: ...

class UpdateInventoryRequest(_message.Message):
    __slots__ = ("pet_id", "update", "reason", "note", "reference", "expected_version", "expected_quantity", "idempotency_key")
    PET_ID_FIELD_NUMBER: _ClassVar[int]
    UPDATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_QUANTITY_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    pet_id: int
    update: InventoryUpdate
    reason: ChangeReason
    note: str
    reference: str
    expected_version: int
    expected_quantity: int
    idempotency_key: str
    def __init__(self, pet_id: _Optional[int] = ..., update: _Optional[_Union[InventoryUpdate, _Mapping]] = ..., reason: _Optional[_Union[ChangeReason, str]] = ..., note: _Optional[str] = ..., reference: _Optional[str] = ..., expected_version: _Optional[int] = ..., expected_quantity: _Optional[int] = ..., idempotency_key: _Optional[str] = ...) -> None: ...

class UpdateInventoryResponse(_message.Message):
    __slots__ = ("item", "version")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    item: InventoryItem
    version: int
    def __init__(self, item: _Optional[_Union[InventoryItem, _Mapping]] = ..., version: _Optional[int] = ...) -> None: ...

class GetInventoryItemRequest(_message.Message):
    __slots__ = ("pet_id",)
    PET_ID_FIELD_NUMBER: _ClassVar[int]
    pet_id: int
    def __init__(self, pet_id: _Optional[int] = ...) -> None: ...

class GetInventoryItemResponse(_message.Message):
    __slots__ = ("item", "version")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    item: InventoryItem
    version: int
    def __init__(self, item: _Optional[_Union[InventoryItem, _Mapping]] = ..., version: _Optional[int] = ...) -> None: ...

class AdjustInventoryRequest(_message.Message):
    __slots__ = ("pet_id", "delta", "reason", "note", "reference", "expected_version", "expected_quantity", "idempotency_key")
    PET_ID_FIELD_NUMBER: _ClassVar[int]
    DELTA_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_QUANTITY_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    pet_id: int
    delta: int
    reason: ChangeReason
    note: str
    reference: str
    expected_version: int
    expected_quantity: int
    idempotency_key: str
    def __init__(self, pet_id: _Optional[int] = ..., delta: _Optional[int] = ..., reason: _Optional[_Union[ChangeReason, str]] = ..., note: _Optional[str] = ..., reference: _Optional[str] = ..., expected_version: _Optional[int] = ..., expected_quantity: _Optional[int] = ..., idempotency_key: _Optional[str] = ...) -> None: ...

class AdjustInventoryResponse(_message.Message):
    __slots__ = ("item", "version")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    item: InventoryItem
    version: int
    def __init__(self, item: _Optional[_Union[InventoryItem, _Mapping]] = ..., version: _Optional[int] = ...) -> None: ...

class BatchUpdateInventoryRequest(_message.Message):
    __slots__ = ("updates", "reason", "note", "reference", "idempotency_key")
    UPDATES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    updates: _containers.RepeatedCompositeFieldContainer[QuantityUpdate]
    reason: ChangeReason
    note: str
    reference: str
    idempotency_key: str
    def __init__(self, updates: _Optional[_Iterable[_Union[QuantityUpdate, _Mapping]]] = ..., reason: _Optional[_Union[ChangeReason, str]] = ..., note: _Optional[str] = ..., reference: _Optional[str] = ..., idempotency_key: _Optional[str] = ...) -> None: ...

class BatchUpdateInventoryResponse(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[VersionedItem]
    def __init__(self, items: _Optional[_Iterable[_Union[VersionedItem, _Mapping]]] = ...) -> None: ...

class ListInventoryChangesRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListInventoryChangesResponse(_message.Message):
    __slots__ = ("changes", "next_page_token")
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    changes: _containers.RepeatedCompositeFieldContainer[InventoryChange]
    next_page_token: str
    def __init__(self, changes: _Optional[_Iterable[_Union[InventoryChange, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListItemChangesRequest(_message.Message):
    __slots__ = ("pet_id", "page_size", "page_token")
    PET_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    pet_id: int
    page_size: int
    page_token: str
    def __init__(self, pet_id: _Optional[int] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListItemChangesResponse(_message.Message):
    __slots__ = ("changes", "next_page_token")
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    changes: _containers.RepeatedCompositeFieldContainer[InventoryChange]
    next_page_token: str
    def __init__(self, changes: _Optional[_Iterable[_Union[InventoryChange, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class WatchInventoryRequest(_message.Message):
    __slots__ = ("resume_token",)
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    resume_token: str
    def __init__(self, resume_token: _Optional[str] = ...) -> None: ...

class WatchInventoryResponse(_message.Message):
    __slots__ = ("snapshot", "ready", "change", "heartbeat", "resume_token")
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    snapshot: SnapshotPart
    ready: WatchReady
    change: InventoryChange
    heartbeat: WatchHeartbeat
    resume_token: str
    def __init__(self, snapshot: _Optional[_Union[SnapshotPart, _Mapping]] = ..., ready: _Optional[_Union[WatchReady, _Mapping]] = ..., change: _Optional[_Union[InventoryChange, _Mapping]] = ..., heartbeat: _Optional[_Union[WatchHeartbeat, _Mapping]] = ..., resume_token: _Optional[str] = ...) -> None: ...

class SnapshotPart(_message.Message):
    __slots__ = ("items", "removed_pet_ids")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_PET_IDS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[InventoryItem]
    removed_pet_ids: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, items: _Optional[_Iterable[_Union[InventoryItem, _Mapping]]] = ..., removed_pet_ids: _Optional[_Iterable[int]] = ...) -> None: ...

class WatchReady(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class WatchHeartbeat(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...
