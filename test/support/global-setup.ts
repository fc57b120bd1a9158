import { installPackages } from "../system/harness/debian-packages.ts";
import { findNginxBinary } from "../system/harness/nginx-server.ts";
import { findRedisBinary } from "../system/harness/redis-server.ts";

/**
 * Makes sure that Redis, nginx, jq, openssl and the shells with completion are installed. Tests that need them are never skipped.
 *
 * @throws Error that names the missing programs if they cannot be installed
 */
export function setup(): void {
  installPackages({
    ...(findRedisBinary() || process.env.TEST_REDIS_URL ? {} : { "redis-server": "redis-server" }),
    ...(findNginxBinary() ? {} : { nginx: "nginx-light" }),
    jq: "jq",
    openssl: "openssl",
    zsh: "zsh",
    fish: "fish",
  });
}
