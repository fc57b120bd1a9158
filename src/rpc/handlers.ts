import type { Handler } from "../http/node-http.ts";
import { createRpc, pathOf, type RpcOptions } from "./rpc.ts";

/**
 * Methods as plain handlers, by path: for those that everyone may call, so that nobody is admitted.
 *
 * @param caller who calls, as the methods are told
 */
export function rpcHandlers<Caller>(
  options: RpcOptions<Caller>,
  caller: Caller,
): ReadonlyMap<string, Handler> {
  const { handle } = createRpc(options);
  return new Map(
    options.methods.map((method) => {
      const path = pathOf(method);
      return [path, (request, response) => handle(path, request, response, caller)];
    }),
  );
}
