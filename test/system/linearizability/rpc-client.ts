import {
  type CallOptions,
  type Client,
  ConnectError,
  createClient,
  type Transport,
} from "@connectrpc/connect";
import { CatalogService } from "../../../gen/catalog/v1/catalog_pb.ts";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { InventoryService, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldStateSchema, StoreService } from "../../../gen/store/v1/store_pb.ts";
import { enumWord } from "../../../src/common/enum-word.ts";
import { reasonOf } from "../../../src/contract/errors.ts";
import { codeWord } from "../../contract/unary-protocols.ts";
import {
  type ImportMessage,
  type Marks,
  type Operation,
  type Outcome,
  otherIds,
  pets,
  type StockClient,
} from "./history.ts";
import {
  batchOutcome,
  errorOutcome,
  holdIdOf,
  holdOutcome,
  holdTtlSeconds,
  itemOutcome,
  listOutcome,
  orderOutcome,
} from "./responses.ts";

/** Timeout of the client for a call, in ms. */
const hangMs = 5_000;

/** The services that the workload calls. */
interface Clients {
  readonly inventory: Client<typeof InventoryService>;
  readonly store: Client<typeof StoreService>;
  readonly catalog: Client<typeof CatalogService>;
}

/**
 * Creates an RPC client.
 *
 * @param timeout the name and encoding of the header that sends a timeout. The library's own timeout would also end
 * the call at the client, possibly before the server's deadline.
 */
export function rpcClient(
  key: string,
  transport: Transport,
  timeout: (ms: number) => Readonly<Record<string, string>>,
): StockClient {
  const clients = {
    inventory: createClient(InventoryService, transport),
    store: createClient(StoreService, transport),
    catalog: createClient(CatalogService, transport),
  };
  return async (operation, marks) => {
    try {
      return await call(clients, operation, marks, {
        headers: {
          authorization: `Bearer ${key}`,
          "x-request-id": marks.reference,
          ...(marks.timeoutMs !== undefined && timeout(marks.timeoutMs)),
        },
        signal: AbortSignal.timeout(hangMs),
      });
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      // An error without a reason comes from the connection, not from the service.
      return reasonOf(error) === undefined
        ? { kind: "unknown", why: error.message }
        : errorOutcome(codeWord(error.code), error.rawMessage, appliedRows(error));
    }
  };
}

function call(
  { inventory, store, catalog }: Clients,
  operation: Operation,
  { idempotencyKey, ...marks }: Marks,
  options: CallOptions,
): Promise<Outcome> {
  switch (operation.op) {
    case "place":
      return place(store, operation, idempotencyKey, options);
    case "cancel":
      return cancel(store, operation, options);
    case "hold":
    case "confirm":
    case "release":
    case "look":
      return callHold(store, operation, options);
    case "import":
      return importPets(catalog, operation.messages ?? [], idempotencyKey, options);
    default:
      return callInventory(inventory, operation, { idempotencyKey, ...marks }, options);
  }
}

async function callInventory(
  client: Client<typeof InventoryService>,
  operation: Operation,
  { reference, idempotencyKey }: Marks,
  options: CallOptions,
): Promise<Outcome> {
  const { op, quantity, delta, updates = [] } = operation;
  const marks = { reference, idempotencyKey };
  const change = { ...marks, petId: BigInt(operation.pet), ...conditionsOf(operation) };
  switch (op) {
    case "list": {
      const { items, version } = await client.listInventory({}, options);
      return listOutcome(items, version, pets.length);
    }
    case "get": {
      const { item, version } = await client.getInventoryItem({ petId: change.petId }, options);
      return itemOutcome(item, version);
    }
    case "set": {
      const request = { ...change, update: { quantity } };
      const { item, version } = await client.updateInventory(request, options);
      return itemOutcome(item, version);
    }
    case "batch": {
      const request = {
        ...marks,
        updates: updates.map((update) => ({
          petId: BigInt(update.pet),
          quantity: update.quantity,
          ...conditionsOf(update),
        })),
      };
      return batchOutcome((await client.batchUpdateInventory(request, options)).items);
    }
    case "transfer": {
      const request = {
        ...marks,
        adjustments: updates.map((update) => ({
          petId: BigInt(update.pet),
          delta: update.quantity,
          ...conditionsOf(update),
        })),
      };
      return batchOutcome((await client.batchAdjustInventory(request, options)).items);
    }
    case "count": {
      const counts = updates.map((update) => ({
        petId: BigInt(update.pet),
        counted: update.quantity,
        ...(update.expectedQuantity !== undefined && { expectedOnHand: update.expectedQuantity }),
      }));
      return batchOutcome((await client.countInventory({ ...marks, counts }, options)).items);
    }
    default: {
      const { item, version } = await client.adjustInventory({ ...change, delta }, options);
      return itemOutcome(item, version);
    }
  }
}

function conditionsOf({
  expectedVersion,
  expectedQuantity,
}: Pick<Operation, "expectedVersion" | "expectedQuantity">) {
  return {
    ...(expectedVersion !== undefined && { expectedVersion: BigInt(expectedVersion) }),
    ...(expectedQuantity !== undefined && { expectedQuantity }),
  };
}

async function place(
  store: Client<typeof StoreService>,
  { pet, quantity }: Operation,
  idempotencyKey: string,
  options: CallOptions,
): Promise<Outcome> {
  const request = { petId: BigInt(pet), quantity, idempotencyKey };
  return orderOutcome("placed", (await store.placeOrder(request, options)).order);
}

async function cancel(
  store: Client<typeof StoreService>,
  { orderId = 0 }: Operation,
  options: CallOptions,
): Promise<Outcome> {
  const request = { orderId: BigInt(orderId) };
  return orderOutcome("cancelled", (await store.cancelOrder(request, options)).order);
}

async function callHold(
  store: Client<typeof StoreService>,
  operation: Operation,
  options: CallOptions,
): Promise<Outcome> {
  const holdId = holdIdOf(operation);
  const { hold } = await sendHold();
  const state = hold ? enumWord(HoldStateSchema, hold.state) : "";
  return holdOutcome(hold?.items ?? [], state, hold?.orderIds.length ?? 0);

  function sendHold() {
    switch (operation.op) {
      case "hold": {
        const items = (operation.updates ?? []).map(({ pet, quantity }) => ({
          petId: BigInt(pet),
          quantity,
        }));
        return store.putHold({ holdId, items, ttlSeconds: holdTtlSeconds }, options);
      }
      case "confirm":
        return store.confirmHold({ holdId }, options);
      case "release":
        return store.releaseHold({ holdId }, options);
      default:
        return store.getHold({ holdId }, options);
    }
  }
}

async function importPets(
  catalog: Client<typeof CatalogService>,
  messages: readonly ImportMessage[],
  idempotencyKey: string,
  options: CallOptions,
): Promise<Outcome> {
  const requests = messages.map((message, index) => ({
    pets: itemsOf(message),
    idempotencyKey: idempotencyKey && `${idempotencyKey}.${index}`,
  }));
  const count = requests.flatMap(({ pets }) => pets).length;
  const stream = (async function* () {
    yield* requests;
  })();
  const { rows, created, updated } = await catalog.importPets(stream, options);
  if (String([rows, created, updated]) !== String([count, 0, count])) {
    throw new Error(
      `an import of ${count} pets reports ${rows}: ${created} created, ${updated} updated`,
    );
  }
  return { kind: "imported" };
}

/** All other pets follow the first update, so that its entry in the history is not next to that of the last update. */
function itemsOf({ updates: [first, ...rest], others }: ImportMessage) {
  const item = (petId: bigint, quantity: number) => ({
    petId,
    quantity,
    status: PetStatus.AVAILABLE,
  });
  return [
    ...(first ? [item(BigInt(first.pet), first.quantity)] : []),
    ...(others === undefined ? [] : otherIds.map((petId) => item(petId, others))),
    ...rest.map(({ pet, quantity }) => item(BigInt(pet), quantity)),
  ];
}

function appliedRows(error: ConnectError): number {
  const [info] = error.findDetails(ErrorInfoSchema);
  return Number(info?.metadata.appliedRows ?? 0);
}
