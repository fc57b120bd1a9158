import type { Handler, NodeServerResponse } from "../http/node-http.ts";

/**
 * `/livez`: the process answers; `/readyz`: it can serve, which is not so while the stores can't be
 * reached, or while it drains.
 *
 * @param ping rejects when the stores can't be reached
 * @param isDraining tells whether the process has begun to stop
 */
export function healthHandlers(
  ping: () => Promise<void>,
  isDraining: () => boolean,
): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ["/livez", (_, response) => answer(response, 200, "ok")],
    [
      "/readyz",
      async (_, response) => {
        if (isDraining()) {
          answer(response, 503, "draining");
          return;
        }
        await ping().then(
          () => answer(response, 200, "ok"),
          () => answer(response, 503, "the store is not available"),
        );
      },
    ],
  ]);
}

function answer(response: NodeServerResponse, status: number, word: string): void {
  const body = JSON.stringify({ status: word });
  response.setHeader("Content-Type", "application/json");
  response.setHeader("Content-Length", body.length);
  response.setHeader("Cache-Control", "no-store");
  response.statusCode = status;
  response.end(body);
}
