import type { ClientHttp2Stream } from "node:http2";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import type { Http2SessionManager } from "@connectrpc/connect-node";
import { callError } from "connect-gateway/call";
import { reasonOf } from "../../contract/errors.ts";

type Sessions = Pick<Http2SessionManager, "authority" | "request" | "notifyResponseByteRead">;

/**
 * Reports each way in which a connection can end as the same error: unavailable. Connect's client has another code for each
 * of them, such as aborted for a reset, which would look like a refusal of the service.
 *
 * @returns an interceptor, and the session manager for the transport
 */
export function reportLostConnections(sessionManager: Http2SessionManager) {
  const { authority } = sessionManager;
  const unsent = new WeakSet<object>();
  const known = new WeakSet<object>();

  const sessions: Sessions = {
    authority,
    async request(method, path, headers, options) {
      let stream: ClientHttp2Stream;
      try {
        stream = await sessionManager.request(method, path, headers, options);
      } catch (cause) {
        const why = `Cannot connect to ${authority}: ${textOf(cause)}. Nothing was sent.`;
        const error = callError(why, Code.Unavailable, { cause });
        unsent.add(error);
        throw error;
      }
      const { session } = stream;
      // A connection fails its calls first and then itself, when the manager may not listen any more. Without a listener,
      // the failure would end the process.
      if (session && !known.has(session)) {
        known.add(session);
        session.on("error", () => {});
      }
      failIfSilent(stream);
      return stream;
    },
    notifyResponseByteRead: (stream) => sessionManager.notifyResponseByteRead(stream),
  };

  const interceptor: Interceptor = (next) => async (request) => {
    const isRead = request.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    const reported = (cause: unknown) => {
      const isKnown = typeof cause === "object" && cause !== null && unsent.has(cause);
      if (isKnown || isOfService(cause)) return cause;
      const advice = isRead
        ? "Try again."
        : "The change may have been made: check before you repeat the command.";
      const why = `The connection to ${authority} failed before the whole response arrived: ${textOf(cause)}. ${advice}`;
      return callError(why, Code.Unavailable, { cause });
    };
    try {
      const response = await next(request);
      if (!response.stream) return response;
      return { ...response, message: withErrors(response.message, reported) };
    } catch (error) {
      throw reported(error);
    }
  };
  return { interceptor, sessions };
}

/** Fails a call whose stream ends without a response and without an error, which Connect's client would wait for. */
function failIfSilent(stream: ClientHttp2Stream): void {
  const fail = () => void stream.emit("error", new Error("the server closed the connection"));
  stream.once("close", fail);
  stream.once("response", () => stream.off("close", fail));
}

/**
 * Codes by which a proxy can say that it has not passed a request on. All errors of the service have a reason. Other
 * errors without a reason say nothing about the request: those for 502, 503, 504, 408, and those of proxies such as 524.
 * They are lost connections too: the one between the proxy and the service.
 */
const refusals: ReadonlySet<Code> = new Set([
  Code.InvalidArgument,
  Code.NotFound,
  Code.AlreadyExists,
  Code.PermissionDenied,
  Code.ResourceExhausted,
  Code.FailedPrecondition,
  Code.OutOfRange,
  Code.Unimplemented,
  Code.Unauthenticated,
]);

/** Whether an error has been received as a response: of the service, or of a proxy that has refused the request. */
function isOfService(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  if (reasonOf(error) !== undefined) return true;
  return refusals.has(error.code) && [...error.metadata.keys()].length > 0;
}

async function* withErrors<T>(
  messages: AsyncIterable<T>,
  reported: (error: unknown) => unknown,
): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw reported(error);
  }
}

function textOf(error: unknown): string {
  if (error instanceof ConnectError) return error.rawMessage;
  return error instanceof Error ? error.message : String(error);
}
