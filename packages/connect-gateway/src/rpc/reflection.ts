import {
  type AnyDesc,
  type DescFile,
  type DescService,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { getOrInsert } from "../call/get-or-insert.ts";

type Response = MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"];

/** Both versions of the service, which differ only in their package. */
const versions = [
  ServerReflection,
  ServerReflectionAlpha as unknown as typeof ServerReflection,
] as const;

/** The largest request, in bytes after decompression. The names of files and symbols are much shorter. */
const readMaxBytes = 1024;

/**
 * Returns the routes of `grpc.reflection.v1.ServerReflection` and of `v1alpha`, which many tools still use, for the
 * `publicRoutes` of a gateway or a server of Connect.
 *
 * https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
 *
 * @param services the services to list in addition to these two, and to describe with all imports
 * @param more further files to describe: those of messages in `google.protobuf.Any`, which no service's file imports
 */
export function reflectionRoutes(
  services: readonly DescService[],
  more: readonly DescFile[] = [],
): (router: ConnectRouter) => void {
  const listed = [...services, ...versions];
  let index: Files | undefined;

  async function* serverReflectionInfo(requests: AsyncIterable<ServerReflectionRequest>) {
    // Most processes never get a request, so the files are indexed at the first one.
    index ??= indexFiles([...listed.map(({ file }) => file), ...more]);
    const sent = new Set<DescFile>();
    for await (const request of requests) {
      const messageResponse = respond(request, listed, index, sent);
      yield { validHost: request.host, originalRequest: request, messageResponse };
    }
  }

  return (router) => {
    for (const each of versions) router.service(each, { serverReflectionInfo }, { readMaxBytes });
  };
}

/** @param sent files that the stream has sent already */
function respond(
  { messageRequest: query }: ServerReflectionRequest,
  services: readonly DescService[],
  { byName, bySymbol, extensions, serialized }: Files,
  sent: Set<DescFile>,
): Response {
  function describe(file: DescFile | undefined, what: string): Response {
    if (!file) return failed(Code.NotFound, `There is no ${what}.`);
    const wanted = [...withImports([file])].filter((each) => each === file || !sent.has(each));
    for (const each of wanted) sent.add(each);
    const value = { fileDescriptorProto: wanted.map(serialized) };
    return { case: "fileDescriptorResponse", value };
  }

  switch (query.case) {
    case "listServices": {
      const service = services.map(({ typeName }) => ({ name: typeName }));
      return { case: "listServicesResponse", value: { service } };
    }
    case "fileByFilename":
      return describe(byName.get(query.value), `file ${query.value}`);
    case "fileContainingSymbol":
      return describe(bySymbol.get(query.value), `symbol ${query.value}`);
    case "fileContainingExtension": {
      const { containingType: type, extensionNumber: number } = query.value;
      return describe(extensions.get(type)?.get(number), `extension ${number} of ${type}`);
    }
    case "allExtensionNumbersOfType": {
      const found = extensions.get(query.value);
      if (!found) return failed(Code.NotFound, `There is no message ${query.value}.`);
      const value = { baseTypeName: query.value, extensionNumber: [...found.keys()] };
      return { case: "allExtensionNumbersResponse", value };
    }
    default: {
      const advice = "Set one field of message_request.";
      return failed(Code.InvalidArgument, `The request has no query. ${advice}`);
    }
  }
}

/** Reports an error within the stream, which stays open. Connect's codes have the numbers of gRPC's. */
function failed(errorCode: Code, errorMessage: string): Response {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}

type Files = ReturnType<typeof indexFiles>;

/** Indexes files and everything that they import. */
function indexFiles(files: readonly DescFile[]) {
  const byName = new Map<string, DescFile>();
  const bySymbol = new Map<string, DescFile>();
  /** By full name and number. A message without extensions has an empty map. */
  const extensions = new Map<string, Map<number, DescFile>>();
  const extensionsOf = (type: string) => getOrInsert(extensions, type, () => new Map());
  for (const file of withImports(files)) {
    byName.set(file.proto.name, file);
    for (const desc of nestedTypes(file)) {
      for (const symbol of symbolsOf(desc)) bySymbol.set(symbol, file);
      if (desc.kind === "message") extensionsOf(desc.typeName);
      if (desc.kind === "extension") extensionsOf(desc.extendee.typeName).set(desc.number, file);
    }
  }
  const cache = new Map<DescFile, Uint8Array>();
  const serialized = (file: DescFile) =>
    getOrInsert(cache, file, () => toBinary(FileDescriptorProtoSchema, file.proto));
  return { byName, bySymbol, extensions, serialized };
}

/** Returns files with all direct and indirect imports: each file once, and before its imports. */
function withImports(files: readonly DescFile[]): Set<DescFile> {
  const all = new Set(files);
  // Iterating over a set also visits the elements that are added during the iteration.
  for (const file of all) {
    for (const imported of file.dependencies) all.add(imported);
  }
  return all;
}

/** Returns the full names of a declaration and of its members. */
function symbolsOf(desc: Exclude<AnyDesc, DescFile>): string[] {
  if (!("typeName" in desc)) return [];
  // Enum values are siblings of their enum, as in C++.
  const scope =
    desc.kind === "enum" ? desc.typeName.slice(0, -desc.name.length) : `${desc.typeName}.`;
  const fields = "fields" in desc ? [...desc.fields, ...desc.oneofs] : [];
  const members = "values" in desc ? desc.values : "methods" in desc ? desc.methods : fields;
  return [desc.typeName, ...members.map(({ name }) => scope + name)];
}
