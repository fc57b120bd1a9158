import { Agent, request } from "node:http";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { type Attack, createFindings, type Target } from "./attack.ts";
import { ask, attacker, bearer, http1, isProper, open, pour, times } from "./wire.ts";

/** Posts a body with node's client. @returns the status, or the error */
function post({ port }: Target, agent: Agent, bytes: number): Promise<string> {
  return new Promise((resolve) => {
    const sent = request({
      port,
      host: "127.0.0.1",
      localAddress: attacker(8),
      agent,
      method: "POST",
      path: "/v1/inventory/1:adjust",
      headers: { "content-type": "application/json", "content-length": bytes },
    });
    let status: string | undefined;
    sent.on("response", (response) => {
      status = String(response.statusCode);
      response.resume().on("error", () => {});
    });
    sent.on("error", (error) => resolve(status ?? error.message));
    sent.on("close", () => resolve(status ?? "no response"));
    sent.end(Buffer.alloc(bytes, 0x20));
  });
}

/** A client that is still sending its body receives the response that refuses it. */
export const oversizedBodies: Attack = {
  name: "oversized bodies",
  sends:
    "20 bodies of 900 KB and 60 of 5 MB without a key, over 4 keep-alive connections of node's client",
  seconds: 8,
  async run(target) {
    const found = createFindings();
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    for (const [count, bytes] of [
      [20, 900_000],
      [60, 5_000_000],
    ] as const) {
      for (let n = 0; n < count; n += 4) {
        const replies = await Promise.all(
          Array.from({ length: 4 }, () => post(target, agent, bytes)),
        );
        for (const reply of replies) {
          found.expect(/^4\d\d$/.test(reply), `a body of ${bytes} bytes: ${reply}`);
        }
      }
    }
    agent.destroy();
    return found.list;
  },
};

/** The server closes the connection of a client that never stops sending. */
export const endlessBodies: Attack = {
  name: "endless bodies",
  sends: "20 connections that each send 100 MB after the refusal, with and without Expect",
  seconds: 6,
  async run(target) {
    const until = performance.now() + 5_000;
    const piece = Buffer.alloc(65_536, 0x20);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const socket = open(target, attacker(n)).resume();
        socket.write(
          http1("POST", "/v1/inventory/1:adjust", {
            "content-type": "application/json",
            "content-length": "99999999999",
            ...(n % 2 === 0 && { expect: "100-continue" }),
          }),
        );
        return pour(socket, times(1_500, piece), until);
      }),
    );
    return [];
  },
};

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
