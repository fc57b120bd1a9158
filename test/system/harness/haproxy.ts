import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./redis-server.ts";

/** A balancer that polls `/readyz` of two servers. */
export interface Balancer {
  /** The port that balances connections, for any protocol. */
  readonly tcp: number;
  /** The port that balances HTTP/1.1 requests. */
  readonly http: number;
  /** Whether the balancer uses all servers. */
  areAllUp(): Promise<boolean>;
  stop(): void;
}

/**
 * Starts haproxy, which hides no failure of a server: it repeats neither a connection nor a request.
 *
 * A server is used when one check succeeds, and no longer used when two checks in a row have failed.
 */
export async function startHaproxy(servers: readonly number[]): Promise<Balancer> {
  const [tcp, http, stats] = [await freePort(), await freePort(), await freePort()];
  const directory = mkdtempSync(join(tmpdir(), "inventory-haproxy-"));
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
  const child: ChildProcess = spawn("haproxy", ["-db", "-q", "-f", config], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const failed = new Promise<never>((_, reject) => {
    child.once("error", (error) => reject(new Error(`haproxy does not start: ${error.message}`)));
  });
  failed.catch(() => {});
  const kill = () => {
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
  process.once("exit", kill);

  async function readStatuses(): Promise<string[]> {
    const reply = await Promise.race([fetch(`http://127.0.0.1:${stats}/;csv`), failed]);
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
    async areAllUp() {
      const statuses = await readStatuses().catch((error: unknown) => {
        if (child.exitCode !== null || child.pid === undefined) throw error;
        return [];
      });
      return statuses.length === 2 * servers.length && statuses.every((status) => status === "UP");
    },
    stop() {
      process.off("exit", kill);
      kill();
    },
  };
}
