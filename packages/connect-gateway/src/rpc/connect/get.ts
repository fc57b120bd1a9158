import type { DescMethod } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { callError } from "../../call/call-error.ts";
import { splitTarget } from "../../http/request-target.ts";
import { unaryBinary, unaryJson } from "../media-type.ts";

export type GetRequest = NonNullable<ReturnType<typeof parseGet>>;

/** Returns whether clients may call a method by GET: only if it has no side effects. */
export function allowsGet({ idempotency }: DescMethod): boolean {
  return idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;
}

/** Parses the query of a unary GET; undefined without a known encoding: https://connectrpc.com/docs/protocol#unary-get-request */
export function parseGet(target: string) {
  const query = new URLSearchParams(`?${splitTarget(target).query}`);
  const encoding = query.get("encoding");
  if (encoding !== "proto" && encoding !== "json") return undefined;
  return {
    type: encoding === "proto" ? unaryBinary : unaryJson,
    compression: query.get("compression") ?? undefined,
    /** Returns the bytes of the message. @throws ConnectError invalid_argument when the query is malformed */
    message: () => messageIn(query),
  };
}

const parameters = ["connect", "encoding", "base64", "compression", "message"];

/** @throws ConnectError invalid_argument */
function messageIn(query: URLSearchParams): Uint8Array {
  const twice = parameters.find((name) => query.getAll(name).length > 1);
  if (twice) throw invalid(twice, "is given twice; send it once");
  const text = query.get("message");
  if (text === null) {
    throw invalid(
      "message",
      "is missing. For a request without fields, send message={} or, in binary, message=",
    );
  }
  const base64 = query.get("base64") ?? "0";
  if (base64 !== "0" && base64 !== "1") throw invalid("base64", "must be 1 or absent");
  return base64 === "1" ? decode(text) : new TextEncoder().encode(text);
}

function invalid(name: string, fault: string): Error {
  return callError(`The query parameter ${name} ${fault}.`, Code.InvalidArgument);
}

function decode(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch {
    throw invalid("message", "is not base64, although base64=1");
  }
}
