import { ConnectError } from "@connectrpc/connect";
import { createAsyncIterable, type UniversalHandlerFn } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import { parseGet } from "./get.ts";

/** Has a handler answer a GET whose message is not base64 by an error of the client: Connect's takes it for its own. */
export function withCheckedGet(handler: UniversalHandlerFn): UniversalHandlerFn {
  return async (request) => {
    try {
      if (request.method === "GET") parseGet(request.url)?.message();
    } catch (reason) {
      const error = ConnectError.from(reason);
      const body = errorToJsonBytes(error, undefined);
      return {
        status: codeToHttpStatus(error.code),
        header: new Headers({ "content-type": contentTypeUnaryJson }),
        body: createAsyncIterable([body]),
      };
    }
    return handler(request);
  };
}
