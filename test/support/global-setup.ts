import { execFileSync } from "node:child_process";
import { findNginxBinary } from "./nginx-server.ts";
import { findRedisBinary } from "./redis-server.ts";

/**
 * Makes sure that there are a real Redis and a real nginx to test with. Tests that need one are never skipped.
 *
 * @throws Error that says what to install
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
}

/** Installs a package of Debian's. The caller checks whether that worked. */
function install(name: string): void {
  try {
    process.stderr.write(`Installing Debian's ${name}, which the tests need.\n`);
    execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore" });
    execFileSync("apt-get", ["install", "-y", "-qq", name], { stdio: "ignore" });
  } catch {
    // The caller reports what is missing.
  }
}
