import { expect } from "vitest";
import { newAccountId, newApiKey } from "../../src/access/api-key.ts";
import { tellWithinMs } from "./bounds.ts";
import { type Answer, grpcClient, type RequestParts, send } from "./client.ts";

/** Words of Redis and of its client, and of where either is: nothing that a caller may read. */
const inside =
  /redis|valkey|lua|script|evalsha|\boom\b|maxmemory|read.?only|replica|loading|masterdown|misconf|noauth|stream|socket|econn|queue|node_modules|\.ts\b|127\.0\.0\.1|\binv:|user_script/i;

/** Every way to ask for something that has to be admitted first. */
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

/** Holds that nobody gets anything but a clear and timely 503: no way in, and no word of why. */
export async function expectUnavailable(url: string, key: string): Promise<void> {
  const answers = await Promise.all(
    requestsOf(key).map(async ([path, parts]) => ({ path, ...(await send(url + path, parts)) })),
  );
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 503,
      headers: { "content-type": "application/json", "retry-after": "1" },
    });
    expect(JSON.parse(answer.body)).toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^The store is not available\./),
    });
    expect(told(answer)).not.toMatch(inside);
    if (answer.path.startsWith("/v1")) {
      expect(Object.keys(JSON.parse(answer.body))).toEqual(["code", "message", "status"]);
    }
  }
  const grpc = await grpcClient(url, key).list();
  expect(grpc.code).toBe("unavailable");
  expect(grpc.header("retry-after")).toBe("1");
  expect(grpc.message).not.toMatch(inside);
  const live = await send(`${url}/livez`);
  expect(live.status).toBe(200);
  // What the machine itself took is told by the request that asks nothing of Redis.
  for (const { ms } of [grpc, ...answers]) {
    expect(ms).toBeLessThan(tellWithinMs + live.ms);
  }
}

/** All that a caller can read in an answer. */
function told({ headers, body }: Answer): string {
  return JSON.stringify(headers) + body;
}
