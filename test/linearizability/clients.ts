import {
  type CallOptions,
  type Client,
  ConnectError,
  createClient,
  type Transport,
} from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { reasonOf } from "../../src/errors.ts";
import { type Answer, codeWord, keepAlive, send } from "../faults/client.ts";
import type { Operation, Outcome } from "./history.ts";

/** After how long an RPC that is not answered is given up. */
const hangMs = 5_000;

/** What goes with a change besides what is changed. */
export interface Marks {
  readonly reference: string;
  /** Empty for none. */
  readonly idempotencyKey: string;
}

/**
 * Sends one request.
 *
 * @throws Error when the answer is none that the operation can have
 */
export type StockClient = (operation: Operation, marks: Marks) => Promise<Outcome>;

/** Opens a client, with connections of its own. */
type Open = (url: string, key: string) => StockClient;

/** The service's four protocols. */
export const protocols = {
  rest: openRest,
  connect: (url, key) =>
    rpc(key, (nodeOptions) =>
      createConnectTransport({ baseUrl: url, httpVersion: "1.1", nodeOptions }),
    ),
  grpc: (url, key) => rpc(key, () => createGrpcTransport({ baseUrl: url })),
  "grpc-web": (url, key) =>
    rpc(key, (nodeOptions) =>
      createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1", nodeOptions }),
    ),
} as const satisfies Record<string, Open>;

/** The names of the protocols. */
export type Protocol = keyof typeof protocols;

function openRest(url: string, key: string): StockClient {
  const agent = keepAlive(1);
  return async (operation, marks) => {
    const { method, path, headers, body } = restRequest(operation, marks);
    let answer: Answer;
    try {
      answer = await send(url + path, { method, headers, key, agent, ...(body && { body }) });
    } catch (error) {
      return { kind: "unknown", why: String(error) };
    }
    const told: unknown = JSON.parse(answer.body);
    if (answer.status !== 200) {
      const { code, message } = told as { readonly code: string; readonly message: string };
      return refusal(code, message);
    }
    const version = Number(/^"(\d+)"$/.exec(String(answer.headers.etag))?.[1]);
    return operation.op === "list"
      ? listed(told as readonly { readonly quantity: number }[], version)
      : item(told as { readonly quantity: number }, version);
  };
}

function restRequest(operation: Operation, { reference, idempotencyKey }: Marks) {
  const { op, pet, quantity, delta, expectedVersion, expectedQuantity } = operation;
  const path = `/v1/inventory${op === "list" ? "" : `/${pet}`}`;
  if (op === "list" || op === "get") return { method: "GET", path, headers: {} };
  const headers = {
    "content-type": "application/json",
    ...(expectedVersion !== undefined && { "if-match": `"${expectedVersion}"` }),
    ...(idempotencyKey !== "" && { "idempotency-key": idempotencyKey }),
  };
  if (op === "adjust") {
    const body = JSON.stringify({ delta, reference, expectedQuantity });
    return { method: "POST", path: `${path}:adjust`, headers, body };
  }
  const query = new URLSearchParams({
    reference,
    ...(expectedQuantity !== undefined && { expectedQuantity: String(expectedQuantity) }),
  });
  return { method: "PATCH", path: `${path}?${query}`, headers, body: JSON.stringify({ quantity }) };
}

function rpc(
  key: string,
  connect: (nodeOptions: { readonly agent: ReturnType<typeof keepAlive> }) => Transport,
): StockClient {
  const client = createClient(InventoryService, connect({ agent: keepAlive(1) }));
  return async (operation, marks) => {
    try {
      return await call(client, operation, marks, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(hangMs),
      });
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      // Without a reason it is no answer of the service, but an error of the connection.
      return reasonOf(error) === undefined
        ? { kind: "unknown", why: error.message }
        : refusal(codeWord(error.code), error.rawMessage);
    }
  };
}

async function call(
  client: Client<typeof InventoryService>,
  { op, pet, quantity, delta, expectedVersion, expectedQuantity }: Operation,
  marks: Marks,
  options: CallOptions,
): Promise<Outcome> {
  const petId = BigInt(pet);
  if (op === "list") {
    const { items, version } = await client.listInventory({}, options);
    return listed(items, version);
  }
  if (op === "get") {
    const answer = await client.getInventoryItem({ petId }, options);
    return item(answer.item, answer.version);
  }
  const change = {
    ...marks,
    petId,
    ...(expectedVersion !== undefined && { expectedVersion: BigInt(expectedVersion) }),
    ...(expectedQuantity !== undefined && { expectedQuantity }),
  };
  const answer =
    op === "set"
      ? await client.updateInventory({ ...change, update: { quantity } }, options)
      : await client.adjustInventory({ ...change, delta }, options);
  return item(answer.item, answer.version);
}

function item(told: { readonly quantity?: number } | undefined, version: bigint | number): Outcome {
  return { kind: "item", quantity: whole(told?.quantity), version: whole(Number(version)) };
}

function listed(
  items: readonly { readonly quantity?: number }[],
  version: bigint | number,
): Outcome {
  const quantities = items.map(({ quantity }) => whole(quantity));
  return { kind: "list", version: whole(Number(version)), quantities };
}

function whole(told: number | undefined): number {
  if (!Number.isSafeInteger(told)) throw new Error(`an answer has ${told} for a whole number`);
  return told as number;
}

/** What an error says, in the words that are the same in all protocols. */
function refusal(code: string, message: string): Outcome {
  const version = Number(/its version is (\d+)\./.exec(message)?.[1]);
  const quantity = Number(/^There are (\d+) of pet/.exec(message)?.[1]);
  if (code === "unavailable" || code === "deadline_exceeded" || /is being answered/.test(message)) {
    return { kind: "unknown", why: code };
  }
  if (code === "aborted" && version > 0) return { kind: "version_mismatch", version };
  if (code === "aborted" && quantity >= 0) return { kind: "quantity_mismatch", quantity };
  if (code === "failed_precondition" && quantity >= 0) return { kind: "too_small", quantity };
  throw new Error(`the service answered ${code}: ${message}`);
}
