import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { onTestFinished } from "vitest";

export const secret = `whsec_${Buffer.from("a secret of twenty-four b").toString("base64")}`;

/** What a receiver does with a delivery, after it has verified the signature. */
export type Behavior = (response: ServerResponse, request: IncomingMessage) => unknown;

export const accept: Behavior = (response) => response.writeHead(204).end();

export const status =
  (code: number, headers = {}): Behavior =>
  (response) =>
    response.writeHead(code, headers).end();

/** Starts a receiver that verifies signatures. A delivery without a valid one is an error of the test. */
export async function startReceiver() {
  const deliveries: { version: bigint; type: string; data: Record<string, unknown> }[] = [];
  const bodies: string[] = [];
  const faults: unknown[] = [];
  /** What it does with the next deliveries. Then it accepts. */
  const next: Behavior[] = [];
  const own = { accepted: [] as bigint[], always: accept };
  const webhook = new Webhook(secret);

  const server = createServer(async (request, response) => {
    try {
      const body = await text(request);
      const message = webhook.verify(body, request.headers as Record<string, string>);
      const { type, data } = message as { type: string; data: Record<string, unknown> };
      const version = BigInt(`${request.headers["webhook-id"]}`);
      deliveries.push({ version, type, data });
      bodies.push(body);
      const behave = next.shift() ?? own.always;
      response.once("finish", () => {
        if (response.statusCode < 300) own.accepted.push(version);
      });
      behave(response, request);
    } catch (error) {
      faults.push(error);
      response.writeHead(500).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}/hooks?shop=7`,
    deliveries,
    bodies,
    faults,
    next,
    own,
    /** The versions of all deliveries, in order. */
    versions: () => deliveries.map(({ version }) => version),
    server,
  };
}
