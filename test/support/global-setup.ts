import { execFileSync } from "node:child_process";
import { findNginxBinary } from "./nginx-server.ts";
import { findRedisBinary } from "./redis-server.ts";

/**
 * Makes sure that Redis, nginx and jq are installed. Tests that need them are never skipped.
 *
 * @throws Error if one is missing and cannot be installed
 */
export function setup(): void {
  if (!(findRedisBinary() || process.env.TEST_REDIS_URL)) {
    install("redis-server");
    if (!findRedisBinary()) {
      throw new Error(
        "The tests need Redis 7 or Valkey: install redis-server (Debian: apt-get install redis-server).",
      );
    }
  }
  if (!findNginxBinary()) {
    install("nginx-light");
    if (!findNginxBinary()) {
      throw new Error("The tests need nginx: install it (Debian: apt-get install nginx-light).");
    }
  }
  if (!hasJq()) {
    install("jq");
    if (!hasJq()) {
      throw new Error("The tests need jq: install it (Debian: apt-get install jq).");
    }
  }
}

function hasJq(): boolean {
  try {
    execFileSync("jq", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Tries to install a Debian package. The caller checks whether that worked. */
function install(name: string): void {
  try {
    process.stderr.write(`Installing the Debian package ${name}, which the tests need.\n`);
    execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore" });
    execFileSync("apt-get", ["install", "-y", "-qq", name], { stdio: "ignore" });
  } catch {
    // The caller reports the missing package.
  }
}
