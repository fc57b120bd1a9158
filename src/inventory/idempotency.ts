import { hash } from "node:crypto";
import {
  clone,
  type DescMessage,
  type DescMethod,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import type { ReadableFields } from "../call/fields.ts";
import { fieldsInvalid, idempotencyKeyInUse } from "../errors.ts";
import type { Idempotency } from "./stock-change.ts";

/** Longest key, in characters. */
const longestKey = 255;

/** Longest field: every character of the key escaped, in quotes. */
const longestField = 2 * longestKey + 2;

/** A request that can name itself. */
type Named = { readonly idempotencyKey: string };

/**
 * How a repetition of a request is known: by the key that the client has given it, in the header field
 * or in the message, and by what it asks for.
 *
 * @returns undefined when there is no key
 * @throws ConnectError invalid_argument that names the header field
 */
export function idempotencyOf<D extends DescMessage>(
  method: DescMethod & { readonly input: D },
  request: MessageShape<D> & Named,
  headers: ReadableFields,
): Idempotency | undefined {
  const field = headers.get("idempotency-key");
  const inHeader = field === null ? undefined : readKey(field);
  const key = inHeader ?? request.idempotencyKey;
  if (key === "") return undefined;
  if (
    inHeader !== undefined &&
    request.idempotencyKey !== "" &&
    inHeader !== request.idempotencyKey
  ) {
    throw invalid("must be the idempotency key of the message, where that has one too");
  }
  return { key, fingerprint: fingerprintOf(method, request, conditionsIn(headers)) };
}

/** The conditions that a request has in its headers, as one text. A header holds no line break. */
function conditionsIn(headers: ReadableFields): string {
  const noneMatch = headers.get("if-none-match");
  return (headers.get("if-match") ?? "") + (noneMatch === null ? "" : `\n${noneMatch}`);
}

/**
 * The same for one message of a stream. The header is not read: it belongs to all messages.
 *
 * @returns undefined when the message has no key
 */
export function idempotencyOfMessage<D extends DescMessage>(
  method: DescMethod & { readonly input: D },
  message: MessageShape<D> & Named,
): Idempotency | undefined {
  const key = message.idempotencyKey;
  return key === "" ? undefined : { key, fingerprint: fingerprintOf(method, message, "") };
}

/**
 * Reads an Idempotency-Key field: a String of structured fields
 * (draft-ietf-httpapi-idempotency-key-header), or the key as it is.
 */
function readKey(field: string): string {
  if (field.length > longestField) throw invalidKey();
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(field) ?? [];
  const key = quoted === undefined ? field : quoted.replace(/\\(["\\])/g, "$1");
  const isBareQuote = quoted === undefined && field.startsWith('"');
  if (isBareQuote || key.length > longestKey || !/^[!-~]+$/.test(key)) {
    throw invalidKey();
  }
  return key;
}

function invalidKey(): Error {
  return invalid(`must be 1 to ${longestKey} visible ASCII characters, in quotes or not`);
}

function invalid(description: string): Error {
  return fieldsInvalid([{ field: "Idempotency-Key", description }]);
}

/** The same for the same method, message (but for the key) and conditions; in Base64 of 43 characters. */
function fingerprintOf<D extends DescMessage>(
  { input, parent, name }: DescMethod & { readonly input: D },
  request: MessageShape<D>,
  conditions: string,
): string {
  const unnamed = Object.assign(clone(input, request), { idempotencyKey: "" });
  const start = `${parent.typeName}/${name}\n${conditions}\n`;
  return hash("sha256", Buffer.concat([Buffer.from(start), toBinary(input, unnamed)]), "base64url");
}

/** Makes requests one at a time that have the same name. */
export type OneAtATime = <T>(
  accountId: string,
  idempotency: Idempotency | undefined,
  make: () => Promise<T>,
) => Promise<T>;

/** Knows the requests that this process is making. */
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
