import { type Attack, createFindings } from "./attack.ts";
import { ask, bearer, http1, isProper } from "./wire.ts";

const paths = [
  "/grpc.health.v1.Health/Check",
  "/grpc.health.v1.Health/Watch",
  "/inventory.v1.InventoryService/ListInventory",
  "/inventory.v1.InventoryService/WatchInventory",
  "/admin.v1.AdminService/ImportInventory",
];

const bodies = [
  "!".repeat(90_000),
  "=".repeat(90_000),
  "A".repeat(90_001),
  "AAAA=".repeat(18_000),
  "////////".repeat(8),
  "\u0000".repeat(60_000),
  "AAAAAAA",
];

/** A body that is not base64, or states a wrong length, fails only its own request. */
export const grpcWebText: Attack = {
  name: "malformed gRPC-Web text",
  sends: "7 bodies of up to 90 KB to 5 methods in 3 media types, with and without a key",
  seconds: 5,
  async run(target) {
    const found = createFindings();
    for (const path of paths) {
      for (const type of ["grpc-web-text", "grpc-web-text+proto", "grpc-web+proto"]) {
        await Promise.all(
          bodies.flatMap((body) =>
            [{}, bearer(target.keys.admin)].map(async (key) => {
              const headers = { ...key, "content-type": `application/${type}` };
              const { status } = await ask(target, http1("POST", path, headers, body));
              found.expect(isProper(status), `POST ${path} (${type}): status ${status}`);
            }),
          ),
        );
      }
    }
    return found.list;
  },
};
