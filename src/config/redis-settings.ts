import { file, integer, matching, oneOf, redactRedisUrls, redisUrls } from "./parsers.ts";
import { type Setting, setting } from "./setting.ts";

/** Where Redis is, and how to connect to it. */
export const redisSettings = {
  REDIS_URL: setting(
    "Redis 7 or newer, or Valkey, that stores all data: `redis://user:password@host:port/database`, with `rediss` for TLS. For a cluster or Sentinel: URLs of some nodes or of the sentinels, separated by commas. Without it, all data is in the memory of the process and is lost when the process ends.",
    { secret: redactRedisUrls, bounds: "`redis://` or `rediss://` URLs", parse: redisUrls },
  ),
  REDIS_MODE: setting(
    "How Redis is organized: one server, a primary that sentinels watch, or a Redis Cluster. See [redis.md](redis.md).",
    { default: "single", ...oneOf("single", "sentinel", "cluster") },
  ),
  REDIS_SENTINEL_NAME: setting(
    "Name of the primary among the sentinels. Required by `REDIS_MODE=sentinel`.",
    matching("a name of letters, digits and `._-`", /^[\w.-]+$/),
  ),
  REDIS_USERNAME: setting(
    "User of Redis, if not the default user. `REDIS_URL` may have it instead.",
    matching("a name without white space", /^\S+$/),
  ),
  REDIS_PASSWORD_FILE: setting(
    "File with the password of Redis. The service reads it again for every new connection and on SIGHUP. `REDIS_URL` may have the password instead. With `REDIS_MODE=sentinel`, the password in `REDIS_URL` is for the sentinels.",
    file,
  ),
  REDIS_TLS_CA: setting(
    "PEM file with the authorities that may sign the certificate of Redis. Default: those of the system. The service reads this file and the next two again for every new connection and on SIGHUP.",
    file,
  ),
  REDIS_TLS_CERT: setting("PEM file with the certificate that the service shows to Redis.", file),
  REDIS_TLS_KEY: setting("PEM file with the private key of that certificate.", file),
  REDIS_TLS_SERVERNAME: setting(
    "Name that the certificate of Redis must have, if not the host in `REDIS_URL`.",
    matching("a host name", /^[\w.-]+$/),
  ),
  REDIS_ACK_REPLICAS: setting(
    "Number of replicas that must have a change before the service acknowledges it. If too few replicas have it in time, the response is 503, and the change may or may not have been made.",
    integer(0, 10, 0),
  ),
} satisfies Record<string, Setting<unknown>>;
