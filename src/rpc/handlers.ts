import type { Handler, NodeServerRequest } from "../http/exchange/node-http.ts";
import { createRpc, pathOf, type RpcOptions } from "./rpc.ts";

/**
 * Makes a handler for each method, by path. For public methods, which need no admission.
 *
 * @param callerOf returns the caller to pass to the method
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
