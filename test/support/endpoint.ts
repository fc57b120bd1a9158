import type { Exchange } from "../../packages/connect-gateway/src/http/exchange/exchange.ts";
import type { Open } from "../../packages/connect-gateway/src/http/http-context.ts";

/** Responds to a request as if a gate had let it pass. @param owner whose turn its work is */
export function handleFor(
  owner: string,
  open: Open | undefined,
  response: Exchange,
): Promise<void> | void {
  response.record.values.owner = owner;
  return open?.(response).serve();
}
