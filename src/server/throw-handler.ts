import type { ThrowHandler } from "../http/exchange/node-http.ts";

/**
 * Makes the handler of errors that callbacks throw. It sends the error if no part of the response was sent. Otherwise
 * it aborts the response, so that the client sees that it is incomplete.
 *
 * @param onFault reports an error that cannot be sent
 * @param respond reports and sends an error
 */
export function createThrowHandler(
  onFault: (error: unknown) => void,
  respond: ThrowHandler,
): ThrowHandler {
  return (request, response, error) => {
    try {
      if (response.headersSent || response.writableEnded || response.destroyed) {
        onFault(error);
        response.destroy();
      } else {
        respond(request, response, error);
      }
    } catch (second) {
      onFault(second);
      response.destroy();
    }
  };
}
