import type { ServerProcess } from "../harness/server-process.ts";
import type { Service } from "./service.ts";

/** The servers that a load balancer would know. */
export interface ServerPool {
  /** URLs of the current servers. */
  readonly urls: readonly string[];
  /** Starts a server. */
  add(): Promise<ServerProcess>;
  /** Kills a server with SIGKILL. Clients send requests to it until it has exited. */
  kill(server: ServerProcess): Promise<void>;
}

export function createServerPool(service: Service): ServerPool {
  const running = new Set<ServerProcess>();
  return {
    get urls() {
      return [...running].map(({ url }) => url);
    },
    async add() {
      const server = await service.startServer();
      running.add(server);
      return server;
    },
    async kill(server) {
      server.kill("SIGKILL");
      await server.exited();
      running.delete(server);
    },
  };
}
