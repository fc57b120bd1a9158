"""The generator of grpcio-tools as a plugin for buf. grpcio-tools has it only inside its own protoc."""

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
with TemporaryDirectory() as folder:
    descriptors = Path(folder, "descriptors")
    descriptors.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
    out = Path(folder, "out")
    out.mkdir()
    code = protoc.main([
        "protoc",
        f"--descriptor_set_in={descriptors}",
        f"--grpc_python_out={out}",
        *request.file_to_generate,
    ])
    if code != 0:
        sys.exit(code)
    for path in sorted(out.rglob("*.py")):
        response.file.add(name=str(path.relative_to(out)), content=path.read_text())
sys.stdout.buffer.write(response.SerializeToString())
