import { expect } from "vitest";
import { newAccountId, newApiKey } from "../../../src/access/api-key.ts";
import { failWithinMs } from "./bounds.ts";
import { grpcClient, type Reply, type RequestParts, send } from "./client.ts";

/** Internal details that a response must not contain: words of Redis and its client, and addresses. */
const inside =
  /redis|valkey|lua|script|evalsha|\boom\b|maxmemory|read.?only|replica|loading|masterdown|misconf|noauth|stream|socket|econn|queue|node_modules|\.ts\b|127\.0\.0\.1|\binv:|user_script/i;

/** One request of every kind that needs admission. */
function requestsOf(key: string): readonly (readonly [string, RequestParts])[] {
  const json = { "content-type": "application/json" };
  const patch = { method: "PATCH", headers: json, body: '{"quantity":5}' };
  const post = { method: "POST", headers: json, body: "{}" };
  return [
    ["/v1/inventory", { key }],
    ["/v1/inventory/1", { ...patch, key }],
    ["/v1/inventory/1", { ...patch, key, body: "nonsense" }],
    ["/v1/pets/1", { key }],
    ["/v1/store/orders", { key }],
    ["/v1/nothing", { key }],
    ["/v1/inventory", {}],
    ["/v1/inventory", { key: "nonsense" }],
    ["/v1/inventory", { key: newApiKey(newAccountId()) }],
    ["/inventory.v1.InventoryService/ListInventory", { ...post, key }],
    ["/inventory.v1.InventoryService/ListInventory", post],
    ["/admin.v1.AdminService/ListAccounts", { ...post, key }],
  ];
}

/** Checks that every request gets a 503 in time, without internal details. */
export async function expectUnavailable(url: string, key: string): Promise<void> {
  const replies = await Promise.all(
    requestsOf(key).map(async ([path, parts]) => ({ path, ...(await send(url + path, parts)) })),
  );
  for (const reply of replies) {
    expect(reply).toMatchObject({
      status: 503,
      headers: { "content-type": "application/json", "retry-after": "1" },
    });
    expect(JSON.parse(reply.body)).toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^The database is not available\./),
    });
    expect(textOf(reply)).not.toMatch(inside);
    if (reply.path.startsWith("/v1")) {
      expect(Object.keys(JSON.parse(reply.body))).toEqual(["code", "message", "status"]);
    }
  }
  const grpc = await grpcClient(url, key).list();
  expect(grpc.code).toBe("unavailable");
  expect(grpc.header("retry-after")).toBe("1");
  expect(grpc.message).not.toMatch(inside);
  const live = await send(`${url}/livez`);
  expect(live.status).toBe(200);
  // The latency of a request that does not use Redis shows how much the machine itself added.
  for (const { ms } of [grpc, ...replies]) {
    expect(ms).toBeLessThan(failWithinMs + live.ms);
  }
}

/** The whole text of a response. */
function textOf({ headers, body }: Reply): string {
  return JSON.stringify(headers) + body;
}
