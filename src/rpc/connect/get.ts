import { base64Decode } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";

/** What a GET of the Connect protocol asks for in its query. */
export interface GetRequest {
  readonly binary: boolean;
  readonly compression: string | null;
  /** The message's bytes. @throws ConnectError invalid_argument when they are not in base64 */
  readonly message: () => Uint8Array;
}

/**
 * Reads the query of a unary GET: https://connectrpc.com/docs/protocol#unary-get-request
 *
 * @param target the request target
 * @returns undefined when it does not say in which form the message is
 */
export function parseGet(target: string): GetRequest | undefined {
  const mark = target.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : target.slice(mark));
  const encoding = query.get("encoding");
  if (encoding !== "proto" && encoding !== "json") return undefined;
  const text = query.get("message") ?? "";
  return {
    binary: encoding === "proto",
    compression: query.get("compression"),
    message: () => (query.get("base64") === "1" ? decode(text) : new TextEncoder().encode(text)),
  };
}

function decode(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch {
    throw new ConnectError("the parameter message is not base64", Code.InvalidArgument);
  }
}
