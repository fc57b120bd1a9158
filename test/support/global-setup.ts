import { execFileSync } from "node:child_process";
import { findRedisBinary } from "./redis-server.ts";

/**
 * Makes sure that there is a real Redis to test on. Tests that need one are never skipped.
 *
 * @throws Error that says what to install
 */
export function setup(): void {
  if (findRedisBinary() || process.env.TEST_REDIS_URL) {
    return;
  }
  try {
    process.stderr.write("No redis-server on the PATH: installing Debian's.\n");
    execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore" });
    execFileSync("apt-get", ["install", "-y", "-qq", "redis-server"], { stdio: "ignore" });
  } catch {
    // Told below, with what to do about it.
  }
  if (!findRedisBinary()) {
    throw new Error(
      "The tests need Redis 7 or Valkey: install redis-server (Debian: apt-get install redis-server).",
    );
  }
}
