import type { Exchange, Handler } from "../http/exchange/exchange.ts";
import { endWithText } from "../http/send-error.ts";
import { checkHealth, type HealthOptions, isServing } from "../rpc/health.ts";

/**
 * Makes the handlers of the health checks. `/livez` responds 200 while the process runs. `/readyz` responds 503 while
 * the ping rejects or takes longer than 5 s, and from the moment the process begins to stop.
 *
 * @param options those of `healthRoutes` hold here too
 * @throws TypeError or RangeError that names an option that is unknown or invalid
 */
export function healthHandlers(
  options: Pick<HealthOptions, "ping" | "stopping">,
): ReadonlyMap<string, Handler> {
  checkHealth(options, "");
  const { ping = async () => {}, stopping } = options;
  return new Map<string, Handler>([
    ["/livez", (response) => respond(response, 200, "ok")],
    [
      "/readyz",
      async (response) => {
        if (stopping?.aborted) respond(response, 503, "draining");
        else if (await isServing(ping)) respond(response, 200, "ok");
        else respond(response, 503, "not ready");
      },
    ],
  ]);
}

function respond(response: Exchange, httpStatus: number, status: string): void {
  const body = JSON.stringify({ status });
  response.writeHead(httpStatus, {
    "content-type": "application/json",
    "content-length": body.length,
    "cache-control": "no-store",
  });
  endWithText(response, body, body.length);
}
