import datetime

from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from inventory_client.gen.rules.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RequestCounts(_message.Message):
    __slots__ = ("admitted", "limited", "banned")
    ADMITTED_FIELD_NUMBER: _ClassVar[int]
    LIMITED_FIELD_NUMBER: _ClassVar[int]
    BANNED_FIELD_NUMBER: _ClassVar[int]
    admitted: int
    limited: int
    banned: int
    def __init__(self, admitted: _Optional[int] = ..., limited: _Optional[int] = ..., banned: _Optional[int] = ...) -> None: ...

class LimitWindow(_message.Message):
    __slots__ = ("limit", "remaining", "more_at", "reset_at")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    MORE_AT_FIELD_NUMBER: _ClassVar[int]
    RESET_AT_FIELD_NUMBER: _ClassVar[int]
    limit: int
    remaining: int
    more_at: _timestamp_pb2.Timestamp
    reset_at: _timestamp_pb2.Timestamp
    def __init__(self, limit: _Optional[int] = ..., remaining: _Optional[int] = ..., more_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reset_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class MinuteUsage(_message.Message):
    __slots__ = ("start_at", "requests")
    START_AT_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    start_at: _timestamp_pb2.Timestamp
    requests: RequestCounts
    def __init__(self, start_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., requests: _Optional[_Union[RequestCounts, _Mapping]] = ...) -> None: ...

class DailyKeyUsage(_message.Message):
    __slots__ = ("key_id", "requests")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    requests: RequestCounts
    def __init__(self, key_id: _Optional[str] = ..., requests: _Optional[_Union[RequestCounts, _Mapping]] = ...) -> None: ...

class DailyUsage(_message.Message):
    __slots__ = ("date", "requests", "keys")
    DATE_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    date: str
    requests: RequestCounts
    keys: _containers.RepeatedCompositeFieldContainer[DailyKeyUsage]
    def __init__(self, date: _Optional[str] = ..., requests: _Optional[_Union[RequestCounts, _Mapping]] = ..., keys: _Optional[_Iterable[_Union[DailyKeyUsage, _Mapping]]] = ...) -> None: ...

class KeyUsage(_message.Message):
    __slots__ = ("key_id", "name", "last_used_at", "expires_at", "revoked_at", "banned_until")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    LAST_USED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    REVOKED_AT_FIELD_NUMBER: _ClassVar[int]
    BANNED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    name: str
    last_used_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    revoked_at: _timestamp_pb2.Timestamp
    banned_until: _timestamp_pb2.Timestamp
    def __init__(self, key_id: _Optional[str] = ..., name: _Optional[str] = ..., last_used_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revoked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., banned_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class AccountUsage(_message.Message):
    __slots__ = ("account_id", "name", "plan", "reported_at", "minute", "day", "last_hour", "last_days", "keys")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    REPORTED_AT_FIELD_NUMBER: _ClassVar[int]
    MINUTE_FIELD_NUMBER: _ClassVar[int]
    DAY_FIELD_NUMBER: _ClassVar[int]
    LAST_HOUR_FIELD_NUMBER: _ClassVar[int]
    LAST_DAYS_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    name: str
    plan: str
    reported_at: _timestamp_pb2.Timestamp
    minute: LimitWindow
    day: LimitWindow
    last_hour: _containers.RepeatedCompositeFieldContainer[MinuteUsage]
    last_days: _containers.RepeatedCompositeFieldContainer[DailyUsage]
    keys: _containers.RepeatedCompositeFieldContainer[KeyUsage]
    def __init__(self, account_id: _Optional[str] = ..., name: _Optional[str] = ..., plan: _Optional[str] = ..., reported_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., minute: _Optional[_Union[LimitWindow, _Mapping]] = ..., day: _Optional[_Union[LimitWindow, _Mapping]] = ..., last_hour: _Optional[_Iterable[_Union[MinuteUsage, _Mapping]]] = ..., last_days: _Optional[_Iterable[_Union[DailyUsage, _Mapping]]] = ..., keys: _Optional[_Iterable[_Union[KeyUsage, _Mapping]]] = ...) -> None: ...

class GetUsageRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetUsageResponse(_message.Message):
    __slots__ = ("usage", "key_id", "scopes")
    USAGE_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    usage: AccountUsage
    key_id: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, usage: _Optional[_Union[AccountUsage, _Mapping]] = ..., key_id: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ...) -> None: ...
