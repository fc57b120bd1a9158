import { create, createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from "../../packages/connect-gateway/gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../../packages/connect-gateway/gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { useServer } from "../support/server.ts";
import { memoryKind } from "../support/stores.ts";

/** Reflection does not depend on the stores. */

/** The file that all options extend. */
const descriptor = "google/protobuf/descriptor.proto";

type Query = ServerReflectionRequest["messageRequest"];

const list: Query = { case: "listServices", value: "" };
const named = (value: string): Query => ({ case: "fileByFilename", value });
const symbol = (value: string): Query => ({ case: "fileContainingSymbol", value });
const numbers = (value: string): Query => ({ case: "allExtensionNumbersOfType", value });
const extension = (containingType: string, extensionNumber: number) =>
  ({ case: "fileContainingExtension", value: { containingType, extensionNumber } }) as Query;

async function* requestsOf(queries: readonly Query[]) {
  for (const messageRequest of queries) yield { host: "shop.example", messageRequest };
}

/** Returns the files in a response. The requested file is first. */
function filesOf({ messageResponse }: ServerReflectionResponse): FileDescriptorProto[] {
  if (messageResponse.case !== "fileDescriptorResponse") {
    throw new Error(`the response has no files: ${JSON.stringify(messageResponse)}`);
  }
  return messageResponse.value.fileDescriptorProto.map((bytes) =>
    fromBinary(FileDescriptorProtoSchema, bytes),
  );
}

const versions = [
  ["v1", ServerReflection],
  ["v1alpha", ServerReflectionAlpha as unknown as typeof ServerReflection],
] as const;

const transports = [
  ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
  ["Connect", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "2" })],
] as const;

const cases = versions.flatMap(([version, service]) =>
  transports.map(([protocol, open]) => ({ version, service, protocol, open })),
);

describe.each(cases)("$version by $protocol", ({ version, service, open }) => {
  const server = useServer(memoryKind);

  /** Sends queries on one stream, without a key. */
  async function queryAll(...queries: readonly Query[]): Promise<ServerReflectionResponse[]> {
    const client = createClient(service, open(server.url));
    return Array.fromAsync(client.serverReflectionInfo(requestsOf(queries)));
  }

  async function queryOne(query: Query): Promise<ServerReflectionResponse> {
    const [response] = await queryAll(query);
    if (!response) throw new Error("there is no response");
    return response;
  }

  test("responds in its own version, with the request and its host", async () => {
    expect(await queryOne(list)).toMatchObject({
      $typeName: `grpc.reflection.${version}.ServerReflectionResponse`,
      validHost: "shop.example",
      originalRequest: { host: "shop.example", messageRequest: list },
    });
  });

  test("lists all services, including itself and the health service", async () => {
    const { messageResponse } = await queryOne(list);
    expect(messageResponse).toMatchObject({
      case: "listServicesResponse",
      value: {
        service: [
          { name: "inventory.v1.InventoryService" },
          { name: "catalog.v1.CatalogService" },
          { name: "pets.v1.PetService" },
          { name: "store.v1.StoreService" },
          { name: "usage.v1.UsageService" },
          { name: "admin.v1.AdminService" },
          { name: "grpc.health.v1.Health" },
          { name: "grpc.reflection.v1.ServerReflection" },
          { name: "grpc.reflection.v1alpha.ServerReflection" },
        ],
      },
    });
  });

  test.each([
    ["with a name", named("inventory/v1/inventory.proto"), "inventory/v1/inventory.proto"],
    ["with the name of an import", named("google/api/http.proto"), "google/api/http.proto"],
    ["of a service", symbol("store.v1.StoreService"), "store/v1/store.proto"],
    ["of a method", symbol("store.v1.StoreService.PlaceOrder"), "store/v1/store.proto"],
    ["of a message", symbol("inventory.v1.InventoryItem"), "inventory/v1/inventory.proto"],
    ["of a nested message", symbol("google.protobuf.FieldOptions.FeatureSupport"), descriptor],
    ["of a field", symbol("inventory.v1.InventoryItem.pet_id"), "inventory/v1/inventory.proto"],
    ["of a oneof", symbol("google.api.HttpRule.pattern"), "google/api/http.proto"],
    ["of an enum", symbol("inventory.v1.PetStatus"), "inventory/v1/inventory.proto"],
    // Enum values are siblings of their enum.
    ["of an enum value", symbol("inventory.v1.PET_STATUS_SOLD"), "inventory/v1/inventory.proto"],
    ["of an error detail", symbol("google.rpc.ErrorInfo"), "google/rpc/error_details.proto"],
    ["of a duration", symbol("google.protobuf.Duration"), "google/protobuf/duration.proto"],
    ["of an extension", symbol("google.api.http"), "google/api/annotations.proto"],
    [
      "of an extension's number",
      extension("google.protobuf.MethodOptions", 72_295_728),
      "google/api/annotations.proto",
    ],
  ])("finds the file %s", async (_, query, file) => {
    expect(filesOf(await queryOne(query))[0]?.name).toBe(file);
  });

  test("returns a file with all its imports, so that a registry can be built", async () => {
    const file = filesOf(await queryOne(symbol("inventory.v1.InventoryService")));
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: file.reverse() }));
    expect(registry.getService("inventory.v1.InventoryService")?.method).toHaveProperty(
      "updateInventory",
    );
    expect(registry.getExtension("google.api.http")?.number).toBe(72_295_728);
  });

  test("does not send an import again on the same stream", async () => {
    const [inventory = [], store = [], again = []] = (
      await queryAll(
        symbol("inventory.v1.InventoryService"),
        symbol("store.v1.StoreService"),
        symbol("store.v1.StoreService"),
      )
    ).map((response) => filesOf(response).map(({ name }) => name));
    expect(inventory).toContain(descriptor);
    expect(store[0]).toBe("store/v1/store.proto");
    expect(inventory.filter((name) => store.includes(name))).toEqual([]);
    expect(again).toEqual(["store/v1/store.proto"]);
  });

  test("returns the field numbers of a message's extensions", async () => {
    const responses = await queryAll(
      numbers("google.protobuf.MethodOptions"),
      numbers("inventory.v1.InventoryItem"),
    );
    expect(responses.map(({ messageResponse }) => messageResponse)).toMatchObject([
      {
        case: "allExtensionNumbersResponse",
        value: {
          baseTypeName: "google.protobuf.MethodOptions",
          extensionNumber: expect.arrayContaining([72_295_728]),
        },
      },
      {
        case: "allExtensionNumbersResponse",
        value: { baseTypeName: "inventory.v1.InventoryItem", extensionNumber: [] },
      },
    ]);
  });

  test.each([
    ["a file", named("x.proto"), Code.NotFound, "There is no file x.proto."],
    ["a symbol", symbol("inventory.v1"), Code.NotFound, "There is no symbol inventory.v1."],
    ["an extension", extension("a.B", 7), Code.NotFound, "There is no extension 7 of a.B."],
    ["a message", numbers("a.B"), Code.NotFound, "There is no message a.B."],
    ["nothing", { case: undefined }, Code.InvalidArgument, "The request has no query."],
  ] as const)("reports an error about %s within the stream, which stays open", async (...row) => {
    const [, query, errorCode, message] = row;
    const [failed, next] = await queryAll(query, list);
    expect(failed?.messageResponse).toMatchObject({
      case: "errorResponse",
      value: { errorCode, errorMessage: expect.stringContaining(message) },
    });
    expect(next?.messageResponse.case).toBe("listServicesResponse");
  });
});

describe("switched off", () => {
  const server = useServer(memoryKind, { GRPC_REFLECTION: "off" });

  test.each(cases)(
    "$version by $protocol fails with unimplemented, without a key",
    async ({ service, open }) => {
      const client = createClient(service, open(server.url));
      const responses = Array.fromAsync(client.serverReflectionInfo(requestsOf([list])));
      await expect(responses).rejects.toMatchObject({ code: Code.Unimplemented });
    },
  );
});
