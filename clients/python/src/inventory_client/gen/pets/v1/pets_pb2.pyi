from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from inventory_client.gen.inventory.v1 import inventory_pb2 as _inventory_pb2
from inventory_client.gen.rules.v1 import rules_pb2 as _rules_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Pet(_message.Message):
    __slots__ = ("pet_id", "status")
    PET_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    pet_id: int
    status: _inventory_pb2.PetStatus
    def __init__(self, pet_id: _Optional[int] = ..., status: _Optional[_Union[_inventory_pb2.PetStatus, str]] = ...) -> None: ...

class GetPetRequest(_message.Message):
    __slots__ = ("pet_id",)
    PET_ID_FIELD_NUMBER: _ClassVar[int]
    pet_id: int
    def __init__(self, pet_id: _Optional[int] = ...) -> None: ...

class GetPetResponse(_message.Message):
    __slots__ = ("pet",)
    PET_FIELD_NUMBER: _ClassVar[int]
    pet: Pet
    def __init__(self, pet: _Optional[_Union[Pet, _Mapping]] = ...) -> None: ...
