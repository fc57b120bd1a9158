import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "./child.ts";
import { newDirectory } from "./directory.ts";
import { freePort } from "./redis-server.ts";

/** A balancer that polls `/readyz` of two servers. */
export interface Balancer {
  /** The port that balances connections, for any protocol. */
  readonly tcp: number;
  /** The port that balances HTTP/1.1 requests. */
  readonly http: number;
  /** Waits until the balancer uses all servers. */
  settled(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts haproxy, which hides no failure of a server: it repeats neither a connection nor a request.
 *
 * A server is used when one check succeeds, and no longer used when two checks in a row have failed.
 */
export async function startHaproxy(servers: readonly number[]): Promise<Balancer> {
  const [tcp, http, stats] = [await freePort(), await freePort(), await freePort()];
  const directory = newDirectory();
  const config = join(directory, "haproxy.cfg");
  const uses = servers.map((port, index) => `  server s${index} 127.0.0.1:${port}`).join("\n");
  writeFileSync(
    config,
    `global
  maxconn 2000
defaults
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  retries 0
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
  default-server check inter 500ms fall 2 rise 1
listen tcp
  mode tcp
  bind 127.0.0.1:${tcp}
${uses}
listen http
  mode http
  bind 127.0.0.1:${http}
${uses}
listen stats
  mode http
  bind 127.0.0.1:${stats}
  stats enable
  stats uri /
`,
  );
  const child = startChild(["haproxy", "-db", "-q", "-f", config]);

  async function readStatuses(): Promise<string[]> {
    const reply = await fetch(`http://127.0.0.1:${stats}/;csv`);
    const [head = "", ...rows] = (await reply.text()).trim().split("\n");
    const column = head.split(",").indexOf("status");
    return rows
      .map((row) => row.split(","))
      .filter(([, name = ""]) => /^s\d$/.test(name))
      .map((row) => row[column] ?? "");
  }

  return {
    tcp,
    http,
    async settled(timeoutMs) {
      const areAllUp = async () => {
        const statuses = await readStatuses().catch(() => []);
        return statuses.length === 2 * servers.length && statuses.every((each) => each === "UP");
      };
      await child.until("haproxy uses all servers", areAllUp, timeoutMs);
    },
    async stop() {
      await child.end();
    },
  };
}
