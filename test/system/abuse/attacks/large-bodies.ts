import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { type Attack, createFindings } from "./attack.ts";
import { ask, bearer, http1, isProper } from "./wire.ts";

const plain = Buffer.alloc(20_000_000, 0x20);
const bombs: readonly (readonly [coding: string, make: () => Buffer])[] = [
  ["gzip", () => gzipSync(plain)],
  ["br", () => brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ["zstd", () => zstdCompressSync(plain)],
  ["deflate", () => gzipSync(plain)],
];

/** Decompression stops at the size limit of a body. */
export const bombsAttack: Attack = {
  name: "compression bombs",
  sends:
    "120 bodies that decompress to 20 MB: 10 in each of 4 codings over REST, Connect and gRPC-Web",
  seconds: 8,
  async run(target) {
    const found = createFindings();
    const key = bearer(target.keys.rich);
    for (const [coding, make] of bombs) {
      const bomb = make();
      const envelope = Buffer.alloc(5);
      envelope[0] = 1;
      envelope.writeUInt32BE(bomb.length, 1);
      const rpc = "/inventory.v1.InventoryService/BatchUpdateInventory";
      const json = { ...key, "content-type": "application/json", "content-encoding": coding };
      const web = { ...key, "content-type": "application/grpc-web+proto", "grpc-encoding": coding };
      const requests = [
        http1("POST", "/v1/inventory:batchUpdate", json, bomb),
        http1("POST", rpc, json, bomb),
        http1("POST", rpc, web, Buffer.concat([envelope, bomb])),
      ];
      for (let n = 0; n < 10; n++) {
        for (const { status } of await Promise.all(requests.map((each) => ask(target, each)))) {
          found.expect(isProper(status), `a bomb in ${coding}: status ${status}`);
        }
      }
    }
    return found.list;
  },
};
