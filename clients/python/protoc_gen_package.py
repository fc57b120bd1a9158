"""A plugin for buf generate: the messages of protoc as modules of the package inventory_client.gen, with types.

protoc imports the module of `inventory/v1/inventory.proto` as `inventory.v1.inventory_pb2`. Such a top-level name would
collide with other packages, so this plugin changes the imports.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

request = CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
response = CodeGeneratorResponse(
    supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL,
)
own = "|".join(sorted({name.split("/")[0] for name in request.file_to_generate}))
imports = re.compile(rf"^from (?=(?:{own})\.)", re.MULTILINE)
with TemporaryDirectory() as folder:
    descriptors = Path(folder, "descriptors")
    descriptors.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
    out = Path(folder, "out")
    out.mkdir()
    code = protoc.main([
        "protoc",
        f"--descriptor_set_in={descriptors}",
        f"--python_out={out}",
        f"--pyi_out={out}",
        *request.file_to_generate,
    ])
    if code != 0:
        sys.exit(code)
    for path in [out, *sorted(out.rglob("*"))]:
        name = path.relative_to(out)
        if path.is_dir():
            response.file.add(name=str(name / "__init__.py"), content="")
        else:
            content = imports.sub("from inventory_client.gen.", path.read_text())
            response.file.add(name=str(name), content=content)
sys.stdout.buffer.write(response.SerializeToString())
