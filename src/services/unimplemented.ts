import { Code, ConnectError } from "@connectrpc/connect";

export function unimplemented(): ConnectError {
  return new ConnectError("TODO of this branch", Code.Unimplemented);
}
