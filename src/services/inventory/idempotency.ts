import { hash } from "node:crypto";
import {
  clone,
  type DescMessage,
  type DescMethod,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { NodeHeaders } from "../../call/headers.ts";
import { fieldsInvalid } from "../../contract/errors.ts";
import type { Idempotency } from "../../stores/stock-change.ts";
import { idempotencyKeyInUse } from "./errors.ts";
import { conditionsOf, type OwnConditions, versionText } from "./if-match.ts";

/** The longest idempotency key, in characters. */
const longestKey = 255;

/** The longest header: every character of the key escaped, in quotes. */
const longestField = 2 * longestKey + 2;

/** A request that can have an idempotency key. */
interface Keyed extends OwnConditions {
  readonly idempotencyKey: string;
  readonly reason?: ChangeReason;
}

/**
 * Returns the idempotency key of a request, from its header or its message, and the fingerprint of the request.
 *
 * @returns undefined when there is no key
 * @throws ConnectError invalid_argument when the header is malformed or differs from the message, or when a header with a
 * condition is malformed
 */
export function idempotencyOf<D extends DescMessage>(
  method: DescMethod & { readonly input: D },
  request: MessageShape<D> & Keyed,
  headers: Headers,
): Idempotency | undefined {
  const header = headers.get("idempotency-key");
  const inHeader = header === null ? undefined : readKey(header);
  const key = inHeader ?? request.idempotencyKey;
  if (key === "") return undefined;
  if (
    inHeader !== undefined &&
    request.idempotencyKey !== "" &&
    inHeader !== request.idempotencyKey
  ) {
    throw invalid("must be the same as idempotency_key in the message; send only one of them");
  }
  return { key, fingerprint: fingerprintOf(method, request, headers) };
}

/**
 * Returns the same for one message of a stream. The header is not used, because it belongs to all messages.
 *
 * @returns undefined when the message has no key
 */
export function idempotencyOfMessage<D extends DescMessage>(
  method: DescMethod & { readonly input: D },
  message: MessageShape<D> & Keyed,
): Idempotency | undefined {
  const key = message.idempotencyKey;
  return key === "" ? undefined : { key, fingerprint: fingerprintOf(method, message, noHeaders) };
}

/**
 * Parses an Idempotency-Key header: a String of RFC 8941 (draft-ietf-httpapi-idempotency-key-header), or the key
 * without quotes.
 */
function readKey(field: string): string {
  if (field.length > longestField) throw invalidKey();
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(field) ?? [];
  const key = quoted === undefined ? field : quoted.replace(/\\(["\\])/g, "$1");
  const isBareQuote = quoted === undefined && field.startsWith('"');
  if (isBareQuote || key.length > longestKey || !/^[!-~]+$/.test(key)) throw invalidKey();
  return key;
}

function invalidKey(): Error {
  return invalid(`must be 1 to ${longestKey} visible ASCII characters, in quotes or not`);
}

function invalid(description: string): Error {
  return fieldsInvalid([{ field: "Idempotency-Key", description }]);
}

const noHeaders: Headers = new NodeHeaders({});

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
 * Makes a request, unless another with the same account and idempotency key is in progress in this process.
 *
 * @throws ConnectError aborted when one is in progress
 */
export type OneAtATime = <T>(
  accountId: string,
  idempotency: Idempotency | undefined,
  make: () => Promise<T>,
) => Promise<T>;

/** Makes a {@link OneAtATime}. */
export function createOneAtATime(): OneAtATime {
  const inFlight = new Set<string>();
  return async (accountId, idempotency, make) => {
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
