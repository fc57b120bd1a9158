import { hash } from "node:crypto";
import {
  clone,
  type DescMessage,
  type DescMethod,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { NodeHeaders } from "connect-gateway";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { fieldInvalid } from "../../contract/errors.ts";
import type { Idempotency } from "../../stores/stock-change.ts";
import { idempotencyKeyInUse } from "./errors.ts";
import { conditionsOf, type OwnConditions, versionText } from "./if-match.ts";

const longestKey = 255;

/** The longest header: every character of the key escaped, in quotes. */
const longestField = 2 * longestKey + 2;

const noHeaders: Headers = new NodeHeaders({});

interface Keyed extends OwnConditions {
  readonly idempotencyKey: string;
  readonly reason?: ChangeReason;
}

/**
 * Returns the idempotency key of a request, from its header or its message, and the fingerprint of the request.
 *
 * @param headers absent for a message of a stream, because they belong to all messages
 * @returns undefined when there is no key
 * @throws ConnectError invalid_argument when the header is malformed or differs from the message, or when a header with a
 * condition is malformed
 */
export function idempotencyOf<D extends DescMessage>(
  method: DescMethod & { readonly input: D },
  request: MessageShape<D> & Keyed,
  headers = noHeaders,
): Idempotency | undefined {
  const header = headers.get("idempotency-key");
  const own = request.idempotencyKey;
  const key = header === null ? own : readKey(header);
  if (key === "") return undefined;
  if (own !== "" && key !== own) {
    throw invalid("must be the same as idempotency_key in the message; send only one of them");
  }
  return { key, fingerprint: fingerprintOf(method, request, headers) };
}

/** Parses an Idempotency-Key header: a String of RFC 8941 (draft-ietf-httpapi-idempotency-key-header), or a bare key. */
function readKey(field: string): string {
  if (field.length > longestField) throw invalidKey();
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(field) ?? [];
  const key = quoted === undefined ? field : quoted.replace(/\\(["\\])/g, "$1");
  const isBareQuote = quoted === undefined && field.startsWith('"');
  if (isBareQuote || key.length > longestKey || !/^[!-~]+$/.test(key)) throw invalidKey();
  return key;
}

const invalid = (fault: string) => fieldInvalid("Idempotency-Key", fault);
const invalidKey = () =>
  invalid(`must be 1 to ${longestKey} visible ASCII characters, in quotes or not`);

/**
 * Hashes what a request means, without its key: 43 characters of Base64url. Requests mean the same if one has its condition
 * in a header and the other in the message, or if one names the default reason.
 */
function fingerprintOf<D extends DescMessage>(
  { input, parent, name }: DescMethod & { readonly input: D },
  request: MessageShape<D> & Keyed,
  headers: Headers,
): string {
  const isDefault = request.reason === ChangeReason.ADJUSTMENT;
  const meaning = Object.assign(clone(input, request), {
    idempotencyKey: "",
    expectedVersion: undefined,
    ...(isDefault && { reason: ChangeReason.UNSPECIFIED }),
  });
  const start = `${parent.typeName}/${name}\n${versionText(conditionsOf(headers, request))}\n`;
  return hash("sha256", Buffer.concat([Buffer.from(start), toBinary(input, meaning)]), "base64url");
}

/**
 * Makes a function that makes a request, unless another with the same account and idempotency key is in progress in this
 * process: then it throws ConnectError aborted.
 */
export function createOneAtATime() {
  const inFlight = new Set<string>();
  return async <T>(
    accountId: string,
    idempotency: Idempotency | undefined,
    make: () => Promise<T>,
  ): Promise<T> => {
    if (!idempotency) return make();
    const name = `${accountId} ${idempotency.key}`;
    if (inFlight.has(name)) throw idempotencyKeyInUse(idempotency.key);
    inFlight.add(name);
    try {
      return await make();
    } finally {
      inFlight.delete(name);
    }
  };
}
