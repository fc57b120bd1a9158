import { expect, test } from "vitest";
import { freePort } from "../system/harness/redis-server.ts";
import { transcript, typePage } from "./console.ts";

test("docs/operator/redis.md shows the output of its commands", async () => {
  const ports = new Set<number>();
  while (ports.size < 7) {
    const port = await freePort();
    // The nodes of the cluster also listen on the port that is 10,000 higher. Client sockets use those from 32,768 on.
    if (port < 22_768) ports.add(port);
  }
  const [service, ...servers] = ports;
  const { expected, actual } = await typePage(
    "docs/operator/redis.md",
    { ...process.env, PORT: String(service), npm_config_loglevel: "error" },
    [
      ["127.0.0.1:8080", `127.0.0.1:${service}`],
      ...["7001", "7002", "7003", "7010", "7011", "7012"].map(
        (port, index) => [port, String(servers[index])] as const,
      ),
    ],
  );
  expect(expected.length).toBeGreaterThan(3);
  expect(transcript(actual)).toEqual(transcript(expected));
}, 240_000);
