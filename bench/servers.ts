import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerSpec } from "./machine/server.ts";

const root = join(import.meta.dirname, "..");

/** The binary that peers/go is built to. */
export const goGatewayBinary = join(root, "bench/peers/go/bin/gateway");

/** Our server, as `npm start` runs it. */
export const ourServer: ServerSpec = {
  command: process.execPath,
  args: ({ nodeOptions }) => [...nodeOptions, join(root, "src/main.ts")],
  environment: () => ({}),
};

function nodePeer(name: string): ServerSpec {
  return {
    command: process.execPath,
    args: () => [join(root, `bench/peers/${name}.ts`)],
    environment: () => ({}),
  };
}

/** node:http or node:http2 and a fixed answer. */
function barePeer(name: string, body: Buffer, more: Record<string, string> = {}): ServerSpec {
  return {
    ...nodePeer(name),
    environment({ scratch }) {
      const file = join(scratch, randomUUID());
      writeFileSync(file, body);
      return { BODY_FILE: file, ...more };
    },
  };
}

/**
 * node:http that sends a fixed answer.
 *
 * @param more STATUS, CONTENT_ENCODING, or PING for a round trip to Redis before each answer
 */
export function bareHttp(body: Buffer, more?: Record<string, string>): ServerSpec {
  return barePeer("bare-http", body, more);
}

/** node:http2 that sends a fixed gRPC answer. */
export function bareHttp2(frame: Buffer): ServerSpec {
  return barePeer("bare-http2", frame);
}

export const fastifyFlexible = nodePeer("fastify-flexible");
export const fastifyRateLimit = nodePeer("fastify-rate-limit");
export const expressFlexible = nodePeer("express-flexible");
export const grpcJs = nodePeer("grpc-js");
export const grpcJsSameWork = nodePeer("grpc-js-same-work");
export const connectNode = nodePeer("connect-node");

/** grpc-gateway before grpc-go, as its guide has it: in one process, gRPC between them. */
export const goGateway: ServerSpec = {
  command: goGatewayBinary,
  args: () => [],
  environment: () => ({}),
  ownGrpcPort: true,
};

/** grpc-gateway that calls the service in its process, without gRPC. */
export const goDirect: ServerSpec = {
  ...goGateway,
  environment: () => ({ GATEWAY: "direct" }),
};
