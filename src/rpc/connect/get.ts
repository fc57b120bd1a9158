import type { DescMethod } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { callError } from "../../call/call-error.ts";

/** The query of a GET of the Connect protocol. */
export interface GetRequest {
  readonly isBinary: boolean;
  readonly compression: string | null;
  /** Returns the bytes of the message. @throws ConnectError invalid_argument when they are not base64 */
  readonly message: () => Uint8Array;
}

/** Returns whether clients may call a method by GET: only if it has no side effects. */
export function allowsGet({ idempotency }: DescMethod): boolean {
  return idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;
}

/**
 * Parses the query of a unary GET: https://connectrpc.com/docs/protocol#unary-get-request
 *
 * @param target the request target
 * @returns undefined when the encoding of the message is missing or unknown
 */
export function parseGet(target: string): GetRequest | undefined {
  const mark = target.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : target.slice(mark));
  const encoding = query.get("encoding");
  if (encoding !== "proto" && encoding !== "json") return undefined;
  const text = query.get("message") ?? "";
  return {
    isBinary: encoding === "proto",
    compression: query.get("compression"),
    message: () => (query.get("base64") === "1" ? decode(text) : new TextEncoder().encode(text)),
  };
}

function decode(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch {
    throw callError("the parameter message is not base64", Code.InvalidArgument);
  }
}
