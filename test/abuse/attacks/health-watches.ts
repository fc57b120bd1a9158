import { connect } from "node:http2";
import { setTimeout as delay } from "node:timers/promises";
import {
  flag,
  frame,
  frameType,
  headersFrame,
  opening,
  pseudo,
} from "../../support/http2-frames.ts";
import { type Attack, createFindings, type Target } from "./attack.ts";
import { attacker, open } from "./wire.ts";

const watch = "/grpc.health.v1.Health/Watch";
const emptyMessage = Buffer.alloc(5);
const unimplemented = "12";

/** The first result of a health watch: `message`, its gRPC status, or an error. */
function firstReport(target: Target, from: string): Promise<string> {
  return new Promise((resolve) => {
    const session = connect(`http://127.0.0.1:${target.port}`, {
      createConnection: () => open(target, from),
    });
    const done = (report: string) => {
      resolve(report);
      session.destroy();
    };
    session.on("error", () => done("a broken connection"));
    const stream = session.request({
      ":method": "POST",
      ":path": watch,
      "content-type": "application/grpc",
      te: "trailers",
    });
    const status = (headers: object) => {
      if ("grpc-status" in headers) done(String(headers["grpc-status"]));
    };
    stream.on("error", () => done("a broken stream"));
    stream.on("response", status).on("trailers", status);
    stream.on("data", () => done("message"));
    stream.end(emptyMessage);
    setTimeout(() => done("nothing"), 2_000);
  });
}

/** One address cannot take all health watches. */
export const healthWatches: Attack = {
  name: "health watches from one address",
  sends: "10 connections × 60 health watches from one address, then one from another address",
  seconds: 6,
  async run(target) {
    const found = createFindings();
    const headers = [...pseudo("POST", watch), ["content-type", "application/grpc"] as const];
    const watches = Buffer.concat(
      Array.from({ length: 60 }, (_, n) =>
        Buffer.concat([
          headersFrame(1 + 2 * n, headers, flag.endHeaders),
          frame(frameType.data, flag.endStream, 1 + 2 * n, emptyMessage),
        ]),
      ),
    );
    for (let n = 0; n < 10; n++) {
      open(target, attacker(6))
        .resume()
        .write(Buffer.concat([opening(), watches]));
    }
    await delay(1_000);
    const stranger = await firstReport(target, attacker(7));
    found.expect(stranger === "message", `a watch from another address ended with ${stranger}`);
    const own = await firstReport(target, attacker(6));
    found.expect(
      own === unimplemented || own === "message",
      `a watch beyond the limit ended with ${own}, not UNIMPLEMENTED (${unimplemented})`,
    );
    return found.list;
  },
};
