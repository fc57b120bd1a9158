import { type ClientHttp2Session, connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { describe, expect, it } from "vitest";
import { addAccount, addKey } from "../support/accounts.ts";
import { type ServerUnderTest, useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";

const list = "/inventory.v1.InventoryService/ListInventory";
const memory = storeKinds.filter(({ name }) => name === "memory");
const ways = [
  ["on the fast path", "on"],
  ["by Connect's handlers", "off"],
] as const;

describe.each(memory)("what no client of good will sends", (kind) => {
  describe.each(ways)("%s", (_, fastPath) => {
    const server = useServer(kind, {
      RPC_FAST_PATH: fastPath,
      HEADERS_TIMEOUT_MS: "200",
      REQUEST_TIMEOUT_MS: "200",
    });

    it("a stream whose body never ends is answered 408 in time, and its connection goes on", async () => {
      const { session, headers } = await connected(server);
      const stream = session.request({ ...headers, ":path": list });
      stream.write(Buffer.from([0, 0, 0]));
      expect(await statusOf(stream)).toBe(408);
      expect(await answerOf(session, headers, encodeEnvelope(0, new Uint8Array()))).toBe("0");
      session.close();
      expect(server.faults).toEqual([]);
    });

    it.each(["application/connect+json", "application/grpc-web+proto", "application/grpc"])(
      "a request for a stream, in %s, whose body never ends is answered 408, and its stream is closed",
      async (type) => {
        const { session, headers } = await connected(server);
        const path = "/inventory.v1.InventoryService/WatchInventory";
        const stream = session.request({ ...headers, ":path": path, "content-type": type });
        const closed = new Promise((resolve) => stream.once("close", resolve));
        stream.write(Buffer.from([0, 0, 0]));
        expect(await statusOf(stream)).toBe(408);
        stream.resume();
        await closed;
        expect(stream.rstCode).toBe(0);
        session.close();
        expect(server.faults).toEqual([]);
      },
    );

    it("bombs and lies by the hundred leave no memory behind", async () => {
      const { session, headers } = await connected(server);
      const bomb = encodeEnvelope(1, gzipSync(Buffer.alloc(8_000_000)));
      const lie = Buffer.from([0, 0xff, 0xff, 0xff, 0xff]);
      const send = async () => {
        for (let round = 0; round < 100; round++) {
          const coded = { ...headers, "grpc-encoding": "gzip" };
          expect(await answerOf(session, coded, bomb)).toBe("8");
          expect(await answerOf(session, headers, lie)).toBe("8");
        }
      };
      await send();
      globalThis.gc?.();
      const before = process.memoryUsage().arrayBuffers;
      await send();
      globalThis.gc?.();
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64_000_000);
      session.close();
      expect(server.faults).toEqual([]);
    });
  });
});

async function connected({ url, stores }: ServerUnderTest) {
  const account = await addAccount(stores, { plan: "business" });
  const { secret } = await addKey(stores, account);
  return {
    session: connect(url),
    headers: {
      ":method": "POST",
      "content-type": "application/grpc",
      authorization: `Bearer ${secret}`,
    },
  };
}

type Stream = ReturnType<ClientHttp2Session["request"]>;

function statusOf(stream: Stream): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    stream.on("error", reject).on("response", ({ ":status": status }) => resolve(status));
  });
}

/** The status of a gRPC call of the list. */
function answerOf(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ...headers, ":path": list });
    let status: unknown;
    stream.on("response", (fields) => {
      status = fields["grpc-status"];
    });
    stream.on("trailers", (fields) => {
      status = fields["grpc-status"];
    });
    stream.on("error", reject).on("end", () => resolve(status));
    stream.resume();
    stream.end(body);
  });
}
