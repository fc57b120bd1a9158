import { breakOff, isGone, type ThrowHandler } from "../http/node-http.ts";

/**
 * Makes the handler of what callbacks throw. Where nothing of the response was sent, the error becomes the
 * response; otherwise the response is cut off, so that it cannot be taken for a whole one.
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
      if (response.headersSent || response.writableEnded || isGone(response)) {
        onFault(error);
        breakOff(response);
      } else {
        respond(request, response, error);
      }
    } catch (second) {
      onFault(second);
      breakOff(response);
    }
  };
}
