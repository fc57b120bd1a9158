import { randomUUID } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerSpec, StartContext } from "./machine/server.ts";

const root = join(import.meta.dirname, "..");

const probe = join(root, "bench/machine/probe.js");

/** The binaries of peers/go and of peers/go/tuned. `go build` names them after their packages. */
export const goBinaries = {
  gateway: join(root, "bench/peers/go/bin/inventory-gateway"),
  tuned: join(root, "bench/peers/go/bin/tuned"),
} as const;

/** Our server, started as `npm start` does, except for a probe that counts what it makes. */
export const ourServer: ServerSpec = {
  command: process.execPath,
  args: (context) => startArguments(root, context),
  environment: () => ({}),
  hasProbe: true,
};

/** Our server as the image starts it: the bundle, in a file system that has no compiled code of an earlier start. */
export const bundledServer: ServerSpec = {
  command: process.execPath,
  args: () => ["--disable-sigusr1", "--max-semi-space-size=16", join(root, "dist/start.js")],
  environment: () => ({ NODE_DISABLE_COMPILE_CACHE: "1" }),
};

/** Our server, made slower by a probe that also counts promises and ticks. */
export const countingServer: ServerSpec = {
  ...ourServer,
  environment: () => ({ COUNT_ASYNC: "1" }),
};

/**
 * Our server from another checkout.
 *
 * @param checkout the checkout's folder, with its dependencies installed
 * @param server how this checkout's server is started
 */
export function serverOfCheckout(checkout: string, server: ServerSpec): ServerSpec {
  return { ...server, args: (context) => startArguments(checkout, context) };
}

function startArguments(folder: string, { nodeOptions }: StartContext): string[] {
  const start = join(folder, "src/start.js");
  // Earlier versions have no such file.
  const main = existsSync(start) ? start : join(folder, "src/main.ts");
  return [`--import=${probe}`, ...nodeOptions, main];
}

function nodePeer(name: string): ServerSpec {
  return {
    command: process.execPath,
    args: () => [join(root, "bench/peers", name)],
    environment: () => ({}),
  };
}

/** node:http or node:http2 with a fixed response. */
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
 * node:http with a fixed response.
 *
 * @param more STATUS, CONTENT_ENCODING, or PING for a round trip to Redis before each response
 */
export function bareHttp(body: Buffer, more?: Record<string, string>): ServerSpec {
  return barePeer("bare-http.js", body, more);
}

/** node:http2 with a fixed gRPC response. */
export function bareHttp2(frame: Buffer): ServerSpec {
  return barePeer("bare-http2.ts", frame);
}

export const fastifyFlexible = nodePeer("fastify-flexible.ts");
export const fastifyRateLimit = nodePeer("fastify-rate-limit.ts");
export const expressFlexible = nodePeer("express-flexible.ts");
export const grpcJs = nodePeer("grpc-js.ts");
export const grpcJsSameWork = nodePeer("grpc-js-same-work.ts");
export const connectNode = nodePeer("connect-node.ts");

/** grpc-gateway in front of grpc-go, as its guide describes: one process, with gRPC between them. */
export const goGateway: ServerSpec = {
  command: goBinaries.gateway,
  args: () => [],
  environment: () => ({}),
  ownGrpcPort: true,
};

/** grpc-go and net/http without a gateway, tuned. It collects garbage only when it uses 128 MiB. */
export const goTuned: ServerSpec = {
  command: goBinaries.tuned,
  args: () => [],
  environment: () => ({ GOMAXPROCS: "1", GOGC: "off", GOMEMLIMIT: "128MiB" }),
  ownGrpcPort: true,
};
