import { peerAddress, statusSent } from "../http/node-http.ts";
import type { Log } from "../log.ts";
import type { RequestHandler } from "./listener-options.ts";

/**
 * Logs every request once it is over, at level debug. Where that level is off the handler stays as it
 * is: nothing is spent on it. Keys are never logged, nor are bodies.
 */
export function withAccessLog(handler: RequestHandler, log: Log): RequestHandler {
  if (!log.isLevelEnabled("debug")) {
    return handler;
  }
  return (request, response) => {
    const start = performance.now();
    const peer = peerAddress(request);
    response.once("close", () => {
      log.debug({
        method: request.method,
        target: request.url,
        status: statusSent(response),
        complete: response.writableFinished,
        ms: Math.round((performance.now() - start) * 1000) / 1000,
        peer,
      });
    });
    handler(request, response);
  };
}
