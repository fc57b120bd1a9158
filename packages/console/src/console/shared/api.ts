import type { DescMethodServerStreaming, MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AdminService } from "../../../../../gen/admin/v1/admin_pb.ts";
import {
  CatalogService,
  type ImportPetsRequestSchema,
  type ImportPetsResponse,
  type ImportPetsResponseSchema,
} from "../../../../../gen/catalog/v1/catalog_pb.ts";
import { InventoryService } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../../../../gen/store/v1/store_pb.ts";
import { UsageService } from "../../../../../gen/usage/v1/usage_pb.ts";
import { present } from "../../../../../src/common/present.ts";
import { endsSession, faultOf } from "./call-fault.ts";
import { noteServiceDate } from "./service-clock.ts";
import { session, signOut } from "./session.ts";

/** Adds the key of this tab, and ends the session when the server no longer accepts the key. */
const withKey: Interceptor = (next) => async (request) => {
  const { key } = session.get();
  if (key === undefined || request.header.has("authorization")) return next(request);
  request.header.set("authorization", `Bearer ${key}`);
  const onError = (error: unknown) => {
    const fault = faultOf(error);
    if (key === session.get().key && endsSession(fault)) signOut(fault);
    throw error;
  };
  const response = await next(request).catch(onError);
  noteServiceDate(response.header.get("date"));
  if (!response.stream) return response;
  return { ...response, message: guarded(response.message, onError) };
};

/** Passes the messages of a stream on. The key can be revoked while the stream is open. */
async function* guarded<T>(messages: AsyncIterable<T>, onError: (error: unknown) => never) {
  try {
    yield* messages;
  } catch (error) {
    onError(error);
  }
}

const transport = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: true,
  interceptors: [withKey],
  defaultTimeoutMs: 10_000,
});

/** The clients of the services. All pages make their calls with them. */
export const inventory = createClient(InventoryService, transport);
export const catalog = createClient(CatalogService, transport);
export const usage = createClient(UsageService, transport);
export const admin = createClient(AdminService, transport);
export const store = createClient(StoreService, transport);

/** Browsers cannot stream requests. With one message, Connect sends the same bytes for both kinds of stream. */
const importPetsAtOnce = {
  ...CatalogService.method.importPets,
  methodKind: "server_streaming",
} as DescMethodServerStreaming<typeof ImportPetsRequestSchema, typeof ImportPetsResponseSchema>;

/** Imports pets as one message of ImportPets. It takes effect once for an idempotency key. */
export async function importPets(
  message: MessageInitShape<typeof ImportPetsRequestSchema>,
): Promise<ImportPetsResponse> {
  async function* messages() {
    yield message;
  }
  const { message: responses } = await transport.stream(
    importPetsAtOnce,
    undefined,
    undefined,
    undefined,
    messages(),
  );
  let last: ImportPetsResponse | undefined;
  for await (const response of responses) last = response;
  return present(last, "the response to an import");
}
