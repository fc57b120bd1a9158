import { writeFile } from "node:fs/promises";
import {
  connect,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { addAccount, addKey } from "../support/accounts.ts";
import { directoryOfTest } from "../support/directory.ts";
import { listen } from "../support/listen.ts";
import { useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";
import { runHere } from "./command-line.ts";

/** Ends a call after the whole response has arrived from the server, so that a change has been made. */
type Cut = (stream: ServerHttp2Stream, response: IncomingHttpHeaders, body: Buffer) => void;

/** The socket of a stream. That of its session refuses what ends it. */
function socketOf(stream: ServerHttp2Stream): Socket {
  const socket = sockets.at(-1);
  if (!socket || !stream.session) throw new Error("the stream has no connection");
  return socket;
}

const sockets: Socket[] = [];

const withHalf = (cut: Cut): Cut => {
  return (stream, response, body) => {
    stream.respond(response);
    stream.write(body.subarray(0, body.length / 2), () => cut(stream, response, body));
  };
};

const reset: Cut = (stream) => void socketOf(stream).resetAndDestroy();
const close: Cut = (stream) => void socketOf(stream).end();

/** Names a cut of each value. */
const cutsOf = <T>(values: readonly T[], cutOf: (value: T) => [name: string, cut: Cut]) =>
  Object.fromEntries(values.map(cutOf));

const cuts: Readonly<Record<string, Cut>> = {
  "a reset": reset,
  "a reset within the response": withHalf(reset),
  "a close": close,
  "a close within the response": withHalf(close),
  "the end of the session": (stream) => stream.session?.destroy(),
  "a response that ends early": (stream, response, body) => {
    stream.respond(response);
    stream.end(body.subarray(0, body.length / 2));
  },
  "an empty response": (stream, { ":status": status, "content-type": type }) => {
    stream.respond({ ":status": status, "content-type": type });
    stream.end();
  },
  "half a response without its length": (stream, { "content-length": _, ...response }, body) => {
    stream.respond(response);
    stream.end(body.subarray(0, body.length / 2));
  },
  ...cutsOf(
    ["canceled", "unknown", "deadline_exceeded", "aborted", "internal", "data_loss"],
    (code) => [
      `an error ${code} that is not of the service`,
      (stream) => {
        stream.respond({ ":status": 500, "content-type": "application/json" });
        stream.end(JSON.stringify({ code, message: "upstream connect error" }));
      },
    ],
  ),
  // 524 is Cloudflare's, for a server that did not respond in time. Some proxies send their error pages with 200.
  ...cutsOf([200, 408, 500, 502, 504, 524], (status) => [
    `an error page of a proxy with ${status}`,
    (stream) => {
      stream.respond({ ":status": status, "content-type": "text/html" });
      stream.end("<h1>Error</h1>");
    },
  ]),
  ...cutsOf([0, 2, 11], (code) => [
    `GOAWAY ${code}`,
    (stream) => {
      stream.session?.goaway(code, 0);
      setImmediate(() => socketOf(stream).end());
    },
  ]),
  ...cutsOf([...Array(14).keys()], (code) => [
    `RST_STREAM ${code}`,
    (stream) => stream.close(code),
  ]),
};

describe.each(storeKinds.slice(0, 1))("a connection that ends early, stores in $name", (kind) => {
  const server = useServer(kind);
  let apiKey = "";

  beforeEach(async () => {
    const accountId = await addAccount(server.stores);
    const scopes = ["admin", "inventory:read", "inventory:write"] as const;
    ({ secret: apiKey } = await addKey(server.stores, accountId, { scopes }));
    const { code } = await runHere(
      ["items create 5 --quantity 40 --status available --server", server.url],
      { apiKey },
    );
    expect(code).toBe(0);
  });

  const quantity = async () => (await server.stores.inventory.get(5n))?.quantity;

  /** Runs a command through a proxy that ends the connection of each call. */
  async function runCut(cut: Cut, words: readonly string[]) {
    const url = await startProxy(server.url, cut);
    return await runHere([...words, "--server", url], { apiKey });
  }

  test.each(Object.entries(cuts))(
    "by %s: the change may have been made, exit code 8",
    async (_, cut) => {
      const adjusted = await runCut(cut, ["items adjust 5 --by -1 --output=json"]);
      expect([adjusted.code, await quantity()]).toEqual([8, 39]);
      const error = JSON.parse(adjusted.stderr);
      expect(error.code).toBe("unavailable");
      expect(error.message).toContain("The change may have been made");

      const read = await runCut(cut, ["items list"]);
      expect([read.code, read.stdout]).toEqual([8, ""]);
      expect(read.stderr).not.toContain("may have been made");
    },
  );

  test.each(Object.entries(cuts))("by %s: an import says how to continue", async (_, cut) => {
    const file = join(directoryOfTest(), "pets.csv");
    await writeFile(file, "petId,quantity,status\n5,7,available\n");
    const imported = await runCut(cut, ["items import", file]);
    expect([imported.code, await quantity()]).toEqual([8, 7]);
    expect(imported.stderr).toMatch(/The change may have been made.*--resume 0:[\w-]{12}\n/s);
  });
});

/** Starts a proxy that passes calls on to a server, reads the whole response, and then ends the call. */
async function startProxy(target: string, cut: Cut): Promise<string> {
  const upstream = connect(target);
  const proxy = createServer();
  proxy.on("connection", (socket: Socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
  });
  proxy.on("session", (session) => session.on("error", () => {}));
  proxy.on(
    "stream",
    (stream: ServerHttp2Stream, { ":authority": _, ":scheme": __, ...headers }) => {
      stream.on("error", () => {});
      const forwarded = upstream.request(headers);
      forwarded.on("response", async (response) => {
        const body = Buffer.concat(await Array.fromAsync(forwarded));
        cut(stream, response, body);
      });
      stream.pipe(forwarded);
    },
  );
  onTestFinished(() => {
    upstream.destroy();
    proxy.close();
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  return await listen(proxy);
}
