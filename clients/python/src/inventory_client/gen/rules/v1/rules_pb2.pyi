from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Stability(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STABILITY_UNSPECIFIED: _ClassVar[Stability]
    STABILITY_EXPERIMENTAL: _ClassVar[Stability]
    STABILITY_BETA: _ClassVar[Stability]
STABILITY_UNSPECIFIED: Stability
STABILITY_EXPERIMENTAL: Stability
STABILITY_BETA: Stability
BOUNDS_FIELD_NUMBER: _ClassVar[int]
bounds: _descriptor.FieldDescriptor
EVENT_ID_FIELD_NUMBER: _ClassVar[int]
event_id: _descriptor.FieldDescriptor
RPC_ONLY_FIELD_NUMBER: _ClassVar[int]
rpc_only: _descriptor.FieldDescriptor
ALWAYS_SET_FIELD_NUMBER: _ClassVar[int]
always_set: _descriptor.FieldDescriptor
HTTP_NAME_FIELD_NUMBER: _ClassVar[int]
http_name: _descriptor.FieldDescriptor
OUTPUT_ONLY_FIELD_NUMBER: _ClassVar[int]
output_only: _descriptor.FieldDescriptor
SCOPE_FIELD_NUMBER: _ClassVar[int]
scope: _descriptor.FieldDescriptor
ANY_SCOPE_FIELD_NUMBER: _ClassVar[int]
any_scope: _descriptor.FieldDescriptor
STABILITY_FIELD_NUMBER: _ClassVar[int]
stability: _descriptor.FieldDescriptor
DEPRECATION_FIELD_NUMBER: _ClassVar[int]
deprecation: _descriptor.FieldDescriptor
COST_FIELD_NUMBER: _ClassVar[int]
cost: _descriptor.FieldDescriptor

class Bounds(_message.Message):
    __slots__ = ("min", "max", "min_length", "max_length", "pattern", "min_items", "max_items", "unique_by", "not_zero")
    MIN_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    MIN_LENGTH_FIELD_NUMBER: _ClassVar[int]
    MAX_LENGTH_FIELD_NUMBER: _ClassVar[int]
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    MIN_ITEMS_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    UNIQUE_BY_FIELD_NUMBER: _ClassVar[int]
    NOT_ZERO_FIELD_NUMBER: _ClassVar[int]
    min: int
    max: int
    min_length: int
    max_length: int
    pattern: str
    min_items: int
    max_items: int
    unique_by: str
    not_zero: bool
    def __init__(self, min: _Optional[int] = ..., max: _Optional[int] = ..., min_length: _Optional[int] = ..., max_length: _Optional[int] = ..., pattern: _Optional[str] = ..., min_items: _Optional[int] = ..., max_items: _Optional[int] = ..., unique_by: _Optional[str] = ..., not_zero: _Optional[bool] = ...) -> None: ...

class Deprecation(_message.Message):
    __slots__ = ("since", "successor")
    SINCE_FIELD_NUMBER: _ClassVar[int]
    SUCCESSOR_FIELD_NUMBER: _ClassVar[int]
    since: str
    successor: str
    def __init__(self, since: _Optional[str] = ..., successor: _Optional[str] = ...) -> None: ...

class Cost(_message.Message):
    __slots__ = ("items", "items_per_request")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    ITEMS_PER_REQUEST_FIELD_NUMBER: _ClassVar[int]
    items: str
    items_per_request: int
    def __init__(self, items: _Optional[str] = ..., items_per_request: _Optional[int] = ...) -> None: ...
