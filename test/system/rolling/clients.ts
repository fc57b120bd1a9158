import { execFileSync } from "node:child_process";
import { join } from "node:path";

const file = (name: string) => join(import.meta.dirname, name);

/** How a client is built and run. */
export interface Implementation {
  readonly build?: readonly string[];
  readonly run: readonly [string, ...string[]];
  /** Whether the client balances between two servers. One over HTTP/1.1 needs a balancer. */
  readonly isBalancing: boolean;
  /** The frontends of the balancer that the client uses. */
  readonly frontends: readonly ("tcp" | "http")[];
}

/** A client over HTTP/1.1, through a balancer of connections and through one of requests. */
const http1 = (protocol: string): Implementation => ({
  run: [process.execPath, file("http1.ts"), protocol],
  isBalancing: false,
  frontends: ["tcp", "http"],
});

const implementations: Readonly<Record<string, Implementation>> = {
  go: {
    build: ["go", "-C", file("go"), "build", "-o", "rolling", "."],
    run: [file("go/rolling")],
    isBalancing: true,
    frontends: ["tcp"],
  },
  "grpc-js": { run: [process.execPath, file("grpc-js.ts")], isBalancing: true, frontends: ["tcp"] },
  json: http1("json"),
  connect: http1("connect"),
  "grpc-web": http1("grpc-web"),
};

/** A client of {@link Implementation} with its name. */
export interface NamedClient extends Implementation {
  readonly name: string;
}

/**
 * Builds clients.
 *
 * @param names the clients; all of them if there are none
 * @throws Error if a name is unknown, or a build fails
 */
export function buildClients(names: readonly string[]): NamedClient[] {
  const known = Object.keys(implementations);
  return (names.length > 0 ? names : known).map((name) => {
    const implementation = implementations[name];
    if (!implementation) throw new Error(`unknown client ${name}: choose from ${known.join(", ")}`);
    const [command, ...args] = implementation.build ?? [];
    if (command) execFileSync(command, args, { stdio: "inherit" });
    return { name, ...implementation };
  });
}
