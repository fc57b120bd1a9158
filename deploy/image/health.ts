/**
 * Checks that the server in the same container responds: exits with code 0 if `/livez` is 200, and 1 otherwise. The
 * image has no shell and no curl, so its HEALTHCHECK runs this file.
 *
 * It does not check `/readyz`, because Docker Swarm replaces unhealthy containers. A new container would not repair
 * Redis.
 */
import { get as getHttp } from "node:http";
import { get as getHttps } from "node:https";

const timeoutMs = 2_000;
const { HOST, PORT, TLS_CERT } = process.env;

/** The server listens on all addresses, unless HOST names one. */
const host = HOST && !["0.0.0.0", "::"].includes(HOST) ? HOST : "127.0.0.1";
const options = { host, port: PORT || "8080", path: "/livez", timeout: timeoutMs };

function fail(reason: string): never {
  process.stderr.write(`${host}:${options.port} is not healthy: ${reason}\n`);
  process.exit(1);
}

// The certificate is for the name that clients use, not for this address.
const request = TLS_CERT ? getHttps({ ...options, rejectUnauthorized: false }) : getHttp(options);
request.once("timeout", () => fail(`no response within ${timeoutMs} ms`));
request.once("error", (error) => fail(error.message));
request.once("response", ({ statusCode }) => {
  if (statusCode !== 200) fail(`status ${statusCode}`);
  process.exit(0);
});
