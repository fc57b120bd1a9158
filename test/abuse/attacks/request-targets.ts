import { type Attack, createFindings } from "./attack.ts";
import { ask, bearer, http1, isProper } from "./wire.ts";

const hosts = ["[", "[::1", "]", "a b", "a/b", "@", ":99999", "%", "\u00ff", "a,b", "http://a"];
const streams: readonly (readonly [method: string, path: string, type: string])[] = [
  ["POST", "/grpc.health.v1.Health/Watch", "application/connect+json"],
  ["POST", "/grpc.health.v1.Health/Watch", "application/grpc-web+proto"],
  ["POST", "/inventory.v1.InventoryService/WatchInventory", "application/connect+proto"],
  ["POST", "/admin.v1.AdminService/ImportInventory", "application/connect+json"],
  ["POST", "/inventory.v1.InventoryService/ListInventory", "application/json"],
  ["GET", "/v1/inventory/1", ""],
  ["GET", "/livez", ""],
];

/** A request with an invalid Host gets an error response, and does not fill the log. */
export const badHost: Attack = {
  name: "malformed Host",
  sends: `${hosts.length} Host values × ${streams.length} operations × 10`,
  seconds: 6,
  async run(target) {
    const found = createFindings();
    for (const host of hosts) {
      for (const [method, path, type] of streams) {
        const headers = {
          ...bearer(target.keys.admin),
          host,
          ...(type && { "content-type": type }),
        };
        const bytes = http1(method, path, headers, type === "" ? undefined : "\0\0\0\0\u0002{}");
        const replies = await Promise.all(
          Array.from({ length: 10 }, () => ask(target, bytes, { timeoutMs: 500 })),
        );
        for (const { status } of replies) {
          found.expect(isProper(status), `Host "${host}" to ${path}: status ${status}`);
        }
      }
    }
    return found.list;
  },
};

/** A request in absolute form gets the same status as its path alone (RFC 9112, section 3.2.2). */
export const absoluteForm: Attack = {
  name: "requests in absolute form",
  sends: "public, REST and RPC paths in absolute form",
  seconds: 4,
  async run(target) {
    const found = createFindings();
    const key = bearer(target.keys.rich);
    const json = { ...key, "content-type": "application/json" };
    const cases: readonly (readonly [string, string, Record<string, string>, string?])[] = [
      ["GET", "/livez", {}],
      ["GET", "/readyz", {}],
      ["GET", "/docs", {}],
      ["GET", "/openapi.json", {}],
      ["GET", "/v1/inventory/1", key],
      ["GET", "/v1/inventory?pageSize=1", key],
      ["PATCH", "/v1/inventory/1", json, '{"quantity":50000}'],
      ["POST", "/grpc.health.v1.Health/Check", { "content-type": "application/json" }, "{}"],
      ["POST", "/inventory.v1.InventoryService/ListInventory", json, '{"pageSize":1}'],
      ["GET", "/nothing", key],
      ["GET", "", key],
    ];
    for (const [method, path, headers, body] of cases) {
      const origin = await ask(target, http1(method, path || "/", headers, body));
      for (const base of ["http://localhost", "http://localhost:80", "HTTP://other", "https://a"]) {
        const absolute = await ask(target, http1(method, base + path, headers, body));
        found.expect(
          absolute.status === origin.status,
          `${method} ${base}${path}: ${absolute.status}, not ${origin.status}`,
        );
      }
    }
    return found.list;
  },
};
