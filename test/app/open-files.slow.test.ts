import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { useServers } from "../system/harness/server-process.ts";
import { until } from "../system/harness/until.ts";

const servers = useServers();

test("a process that clients leave without file descriptors says so once, and serves again after they close", async () => {
  const server = await servers.start();
  const open = readdirSync(`/proc/${server.pid}/fd`).length;
  execFileSync("prlimit", ["--pid", String(server.pid), `--nofile=${open + 8}:${open + 8}`]);
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  });
  await server.printed("the limit of open files is reached", 1, 30_000);
  for (const socket of sockets) socket.destroy();
  await until("the server answers", async () => {
    const response = await fetch(`${server.url}/livez`).catch(() => undefined);
    return response?.status === 200;
  });
  const count = (text: string) => server.stdout.split(text).length - 1;
  expect(count("the limit of open files is reached")).toBe(1);
  expect(count("because of a bug")).toBe(0);
  expect(server.stderr).toBe("");
}, 60_000);
