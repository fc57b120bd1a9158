import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const packages = [
  "fastify",
  "@fastify/rate-limit",
  "express",
  "rate-limiter-flexible",
  "@grpc/grpc-js",
  "@connectrpc/connect-node",
  "ioredis",
];
const modules = [
  "google.golang.org/grpc",
  "github.com/grpc-ecosystem/grpc-gateway/v2",
  "github.com/redis/go-redis/v9",
  "github.com/go-redis/redis_rate/v10",
  "github.com/redis/rueidis",
];

/**
 * Returns a line for the machine, and for each program that a result depends on. Call it before a run, so that the load
 * average is that of other work. It should be near 0.
 */
export function describeMachine(): string[] {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return [
    `${cpus().length} × ${cpus()[0]?.model.trim()}, ${gigabytes} GiB, Linux ${release()}, load average before the run ${loadavg()[0]?.toFixed(1)}`,
    `Node ${process.versions.node}, ${firstLine("redis-server", "--version", /v=([\d.]+)/, "Redis")}, ${firstLine("go", "version", /go([\d.]+)/, "Go")}`,
    `${firstLine("wrk", "--version", /wrk (?:debian\/)?([\d.]+)/, "wrk")}, ${firstLine("h2load", "--version", /nghttp2\/([\d.]+)/, "h2load")}`,
  ];
}

/** Returns a line for the npm packages of the peers, and one for their Go modules. */
export function describePeers(): string[] {
  return [
    packages.map((name) => `${name} ${packageVersion(name)}`).join(", "),
    modules.map((name) => `${name} ${moduleVersion(name)}`).join(", "),
  ];
}

function firstLine(command: string, flag: string, pattern: RegExp, name: string): string {
  try {
    return `${name} ${pattern.exec(output(command, flag))?.[1] ?? "?"}`;
  } catch {
    return `no ${name}`;
  }
}

/** wrk prints its version with a failing exit code. */
function output(command: string, flag: string): string {
  try {
    return execFileSync(command, [flag], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (!stdout) throw error;
    return stdout;
  }
}

function packageVersion(name: string): string {
  const file = findPackageJSON(name, import.meta.url);
  if (!file) throw new Error(`package ${name} is not installed: run npm ci --prefix bench`);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

function moduleVersion(name: string): string {
  const text = readFileSync(join(root, "bench/peers/go/go.mod"), "utf8");
  return text.match(new RegExp(`${name} (v\\S+)`))?.[1] ?? "?";
}
