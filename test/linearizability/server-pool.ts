import type { ServerProcess } from "../faults/server-process.ts";
import type { Service } from "./service.ts";

/** Servers that come and go, as a balancer in front of them knows them. */
export interface ServerPool {
  /** Those that are there now. */
  readonly urls: readonly string[];
  /** Starts one more. */
  add(): Promise<ServerProcess>;
  /** Kills one without warning. Clients go on to send to it until it is gone. */
  kill(server: ServerProcess): Promise<void>;
}

/** Makes a pool without any server. */
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
