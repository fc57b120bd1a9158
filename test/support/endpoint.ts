import type { Exchange } from "../../packages/connect-gateway/src/http/exchange/exchange.ts";
import type { Endpoints } from "../../packages/connect-gateway/src/http/http-context.ts";
import { splitTarget } from "../../packages/connect-gateway/src/http/request-target.ts";

/** Responds to a request as if a gate had let it pass. @param owner whose turn its work is */
export function handleFor(
  owner: string,
  { open, openUnknown }: Endpoints,
  response: Exchange,
): Promise<void> | void {
  response.record.values.owner = owner;
  return (open(splitTarget(response.url ?? ""), response) ?? openUnknown(response)).serve();
}
