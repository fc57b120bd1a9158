import { keepAlive, type Reply, send } from "../faults/client.ts";
import { type Marks, type Operation, pets, type StockClient } from "./history.ts";
import {
  batchOutcome,
  errorOutcome,
  holdIdOf,
  holdOutcome,
  holdTtlSeconds,
  itemOutcome,
  listOutcome,
} from "./responses.ts";

/** A REST client. It has no imports and orders, which the workload sends over RPC. */
export function openRest(url: string, key: string): StockClient {
  const agent = keepAlive(1);
  return async (operation, marks) => {
    const { method, path, headers, body } = requestOf(operation, marks);
    let reply: Reply;
    try {
      reply = await send(url + path, { method, headers, key, agent, ...(body && { body }) });
    } catch (error) {
      return { kind: "unknown", why: String(error) };
    }
    const received: unknown = JSON.parse(reply.body);
    if (reply.status !== 200) {
      const { code, message } = received as { readonly code: string; readonly message: string };
      return errorOutcome(code, message);
    }
    const version = Number(/^"(\d+)"$/.exec(String(reply.headers.etag))?.[1]);
    switch (operation.op) {
      case "list":
        return listOutcome(received as Parameters<typeof listOutcome>[0], version, pets.length);
      case "hold":
      case "confirm":
      case "release":
      case "look": {
        const { items, state, orderIds } = received as {
          readonly items: Parameters<typeof holdOutcome>[0];
          readonly state: string;
          readonly orderIds: readonly unknown[];
        };
        return holdOutcome(items, state, orderIds.length);
      }
      case "batch":
      case "transfer":
      case "count":
        return batchOutcome((received as { items: Parameters<typeof batchOutcome>[0] }).items);
      default:
        return itemOutcome(received as { readonly quantity: number }, version);
    }
  };
}

function requestOf(operation: Operation, { reference, idempotencyKey, timeoutMs }: Marks) {
  const { op, pet, quantity, delta, updates, expectedVersion, expectedQuantity } = operation;
  const common = {
    "x-request-id": reference,
    ...(timeoutMs !== undefined && { "x-server-timeout": String(timeoutMs / 1_000) }),
  };
  if (op === "list") return { method: "GET", path: "/v1/inventory", headers: common };
  const holdPath = `/v1/store/holds/${holdIdOf(operation)}`;
  if (op === "look") return { method: "GET", path: holdPath, headers: common };
  if (op === "release") return { method: "DELETE", path: holdPath, headers: common };
  if (op === "confirm") return { method: "POST", path: `${holdPath}:confirm`, headers: common };
  const path = `/v1/inventory/${pet}`;
  if (op === "get") return { method: "GET", path, headers: common };
  const headers = {
    ...common,
    "content-type": "application/json",
    ...(expectedVersion !== undefined && { "if-match": `"${expectedVersion}"` }),
    ...(idempotencyKey !== "" && { "idempotency-key": idempotencyKey }),
  };
  if (op === "hold") {
    const items = updates?.map(({ pet: petId, quantity: units }) => ({ petId, quantity: units }));
    const body = JSON.stringify({ items, ttlSeconds: holdTtlSeconds });
    return { method: "PUT", path: holdPath, headers, body };
  }
  if (op === "batch") {
    const body = JSON.stringify({
      updates: updates?.map(({ pet: petId, ...update }) => ({ petId, ...update })),
      reference,
    });
    return { method: "POST", path: "/v1/inventory:batchUpdate", headers, body };
  }
  if (op === "transfer") {
    const adjustments = updates?.map(({ pet: petId, quantity: units, ...conditions }) => ({
      petId,
      delta: units,
      ...conditions,
    }));
    const body = JSON.stringify({ adjustments, reference });
    return { method: "POST", path: "/v1/inventory:batchAdjust", headers, body };
  }
  if (op === "count") {
    const counts = updates?.map((update) => ({
      petId: update.pet,
      counted: update.quantity,
      expectedOnHand: update.expectedQuantity,
    }));
    const body = JSON.stringify({ counts, reference });
    return { method: "POST", path: "/v1/inventory:count", headers, body };
  }
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
