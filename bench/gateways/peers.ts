import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { pythonTool } from "../../test/system/deploy/tools.ts";
import { type Server, type ServerSpec, type StartContext, startServer } from "../machine/server.ts";

const folder = import.meta.dirname;

/** The protocols that the rows of the comparison use. */
export type Protocol = "http" | "connect" | "grpc";

/** The running processes of a peer. */
export interface RunningPeer {
  /** The process that clients connect to. */
  readonly server: Server;
  readonly spec: ServerSpec;
  /** All processes of the peer. */
  readonly processes: readonly Server[];
}

/** A gateway with the library behind it. */
export interface Peer {
  readonly name: string;
  readonly protocols: readonly Protocol[];
  /** Starts it, and waits until it accepts connections. @param books a file with a ListBooksResponse in JSON */
  start(context: StartContext, books: string): Promise<RunningPeer>;
}

const goBinary = join(folder, "go/bin/library");

async function alone(spec: ServerSpec, context: StartContext): Promise<RunningPeer> {
  const server = await startServer(spec, context);
  return { server, spec, processes: [server] };
}

/**
 * Bundles a peer in Node.js to JavaScript, and returns how to start it: node's compiler for TypeScript would take part of
 * the memory that is measured.
 */
function nodeSpec(name: string, { scratch }: StartContext, books: string): ServerSpec {
  const file = join(scratch, `${name}.mjs`);
  buildSync({
    entryPoints: [join(folder, `peers/${name}.ts`)],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
  });
  return {
    command: process.execPath,
    args: () => [file],
    environment: () => ({ BOOKS_FILE: books }),
  };
}

/** @param name of the peer in go/main.go */
function goSpec(name: string, books: string): ServerSpec {
  return {
    command: goBinary,
    args: () => [name],
    environment: () => ({ BOOKS_FILE: books }),
  };
}

/** @param grpcPort of the service */
function envoySpec({ scratch }: StartContext, grpcPort: number): ServerSpec {
  const descriptors = join(scratch, "library.binpb");
  execFileSync("buf", ["build", join(folder, "proto"), "-o", descriptors], {
    cwd: join(folder, "../.."),
  });
  const config = readFileSync(join(folder, "envoy.yaml"), "utf8")
    .replace("GRPC_PORT", `${grpcPort}`)
    .replace("DESCRIPTORS", descriptors);
  // Only the process that is started knows its port.
  const start = 'exec "$0" --config-yaml "$(echo "$CONFIG" | sed "s/OWN_PORT/$PORT/")" "$@"';
  const options = ["--concurrency", "1", "--disable-hot-restart", "--log-level", "error"];
  return {
    command: "sh",
    args: () => ["-c", start, pythonTool("envoy"), ...options],
    environment: () => ({ CONFIG: config }),
  };
}

/** The peers that need only Node.js. */
export const nodePeers: readonly Peer[] = [
  {
    name: "connect-gateway",
    protocols: ["http", "connect", "grpc"],
    start: (context, books) => alone(nodeSpec("connect-gateway", context, books), context),
  },
  {
    name: "connect-node",
    protocols: ["connect", "grpc"],
    start: (context, books) =>
      alone({ ...nodeSpec("connect-node", context, books), ownGrpcPort: true }, context),
  },
];

/** All peers, in the order of the table. */
export const peers: readonly Peer[] = [
  ...nodePeers,
  {
    name: "Vanguard",
    protocols: ["http", "connect", "grpc"],
    start: (context, books) => alone(goSpec("vanguard", books), context),
  },
  {
    name: "grpc-gateway",
    protocols: ["http", "grpc"],
    // grpc-go serves gRPC on a port of its own, without grpc-gateway.
    start: (context, books) =>
      alone({ ...goSpec("grpc-gateway", books), ownGrpcPort: true }, context),
  },
  {
    name: "grpc-gateway, in process",
    protocols: ["http"],
    start: (context, books) => alone(goSpec("grpc-gateway-in-process", books), context),
  },
  {
    name: "Envoy",
    protocols: ["http", "connect", "grpc"],
    async start(context, books) {
      const upstream = await startServer(goSpec("grpc", books), context);
      const envoy = await alone(envoySpec(context, upstream.port), context);
      return { ...envoy, processes: [envoy.server, upstream] };
    },
  },
];
