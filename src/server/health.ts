import type { Handler, NodeServerResponse } from "../http/exchange/node-http.ts";
import { endWithText } from "../http/send-error.ts";

/**
 * Makes the handlers of the health checks. `/livez` responds 200 while the process runs. `/readyz` responds 503 while
 * the stores cannot be reached, and from the moment the process begins to stop.
 *
 * @param ping rejects when the stores cannot be reached
 * @param isStopping returns whether the process has begun to stop
 */
export function healthHandlers(
  ping: () => Promise<void>,
  isStopping: () => boolean,
): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ["/livez", (_, response) => respond(response, 200, "ok")],
    [
      "/readyz",
      async (_, response) => {
        if (isStopping()) {
          respond(response, 503, "draining");
          return;
        }
        await ping().then(
          () => respond(response, 200, "ok"),
          () => respond(response, 503, "the database is not available"),
        );
      },
    ],
  ]);
}

function respond(response: NodeServerResponse, httpStatus: number, status: string): void {
  const body = JSON.stringify({ status });
  response.setHeader("Content-Type", "application/json");
  response.setHeader("Content-Length", body.length);
  response.setHeader("Cache-Control", "no-store");
  response.statusCode = httpStatus;
  endWithText(response, body, body.length);
}
