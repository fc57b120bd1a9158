import type { Caller } from "../access/caller.ts";

/**
 * What an entry of the audit trail says, as a JSON object, without white space, with its members in this order and without
 * those that are absent.
 */
export interface EntryBody {
  /**
   * - `begin`: a change is about to be made. If no entry `end` follows, its result is unknown: the process ended, or
   *   the store was not available, before the result could be written.
   * - `end`: the result of the change that began with the entry `of`.
   * - `call`: a call that changed nothing: a read, or a call that was refused before it began.
   * - `refused`: a number of calls by callers without the scope `admin`.
   */
  readonly kind: "begin" | "end" | "call" | "refused";
  /** The sequence number of the entry `begin`, in the entry `end`. */
  readonly of?: number;
  /** Absent in `refused`. */
  readonly actor?: Actor;
  /** The id of the request: `X-Request-Id` of its response. */
  readonly request?: string;
  /** `admin.v1.AdminService/SetPlan`, or a command such as `inventory restore`. */
  readonly method: string;
  /** The ids of the resources in the request. */
  readonly targets?: Values;
  /** The other fields of the request, shortened. No secrets. */
  readonly details?: Values;
  /** Absent in `begin`. */
  readonly result?: EntryResult;
  /** Ids of new resources, and numbers of imported pets. */
  readonly returned?: Values;
  /** Who was refused, in `refused`. */
  readonly refused?: {
    readonly count: number;
    /** Some of the keys. */
    readonly keys: readonly string[];
  };
}

/** Who made a call or a change: an API key, or a user of an operating system by the command line. */
export type Actor =
  | { readonly key: string; readonly account: string }
  | { readonly user: string; readonly sudo?: string; readonly host: string };

export interface EntryResult {
  /** `ok`, or the code of the error in snake_case. */
  readonly code: string;
  /** The stable reason of the error, such as `ACCOUNT_NOT_FOUND`. */
  readonly reason?: string;
}

/** JSON values by name. */
export interface Values {
  readonly [name: string]: Value;
}

export type Value = string | number | boolean | readonly Value[] | Values;

export function actorOf({ operator, keyId, accountId }: Caller): Actor {
  return operator ?? { key: keyId, account: accountId };
}

/** Matches API keys. None belongs in a request, but a caller can paste one into a name. */
const apiKey = /inv_[0-9a-z]{8,}/gi;

const memberOrder = "kind of actor request method targets details result returned refused";

/** Encodes a body, without any API keys. */
export function encodeBody(body: EntryBody): string {
  const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
  const members = memberOrder.split(" ").map((name) => {
    const value = body[name as keyof EntryBody];
    return [name, isEmpty(value) ? undefined : value];
  });
  return JSON.stringify(Object.fromEntries(members)).replace(apiKey, "inv_[redacted]");
}

/** Decodes a body. @returns undefined if it is not one, as in a trail that was changed */
export function decodeBody(text: string): EntryBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isBody(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Checks the members that are read, so that a changed entry cannot break the reading of the others. */
function isBody(body: unknown): body is EntryBody {
  if (!isObject(body)) return false;
  const { kind, of = 0, actor = {}, request = "", method, targets = {}, returned = {} } = body;
  const { result = {}, refused = { keys: [] } } = body;
  return (
    [kind, method, request].every((text) => typeof text === "string") &&
    Number.isSafeInteger(of) &&
    [targets, returned].every(isObject) &&
    [actor, result].every(hasTexts) &&
    isObject(refused) &&
    Array.isArray(refused.keys)
  );
}

function hasTexts(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((text) => typeof text === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
