import type { Handler, NodeServerRequest } from "../http/node-http.ts";
import { createRpc, pathOf, type RpcOptions } from "./rpc.ts";

/**
 * Methods as plain handlers, by path: for those that everyone may call, so that nobody is admitted.
 *
 * @param callerOf returns the caller that a method gets for a request
 */
export function rpcHandlers<Caller>(
  options: RpcOptions<Caller>,
  callerOf: (request: NodeServerRequest) => Caller,
): ReadonlyMap<string, Handler> {
  const { handle } = createRpc(options);
  return new Map(
    options.methods.map((method) => {
      const path = pathOf(method);
      return [path, (request, response) => handle(path, request, response, callerOf(request))];
    }),
  );
}
