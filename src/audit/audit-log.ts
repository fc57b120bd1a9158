import { ConnectError } from "@connectrpc/connect";
import { codeName } from "connect-gateway/call";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import type { CallContext } from "../common/call-context.ts";
import { reasonOf } from "../contract/errors.ts";
import type { Stores } from "../stores/stores.ts";
import { type EntryBody, type EntryResult, encodeBody, type Values } from "./body.ts";

export interface LoggedEntry {
  /** Undefined if Redis did not confirm the entry, so that the trail may lack it. */
  readonly sequence: number | undefined;
  readonly entry: EntryBody;
}

/** Writes an entry to a log, from which it is copied to where no user of Redis can change it. */
export type LogEntry = (entry: LoggedEntry) => void;

/** Adds entries to the audit trail, each of which this process also logs once. */
export interface Trail {
  /** Appends an entry. @returns its sequence number @throws ConnectError unavailable: the trail may have it */
  append(body: EntryBody, context?: CallContext): Promise<number>;
}

export function createTrail(stores: Pick<Stores, "audit">, logEntry: LogEntry): Trail {
  return {
    async append(body, context) {
      const text = encodeBody(body);
      let sequence: number | undefined;
      try {
        sequence = await stores.audit.append(text, context);
        return sequence;
      } finally {
        // Decoded from the text, which has no API keys.
        logEntry({ sequence, entry: JSON.parse(text) });
      }
    },
  };
}

/** Who does what. */
export type Action = Pick<EntryBody, "actor" | "request" | "method" | "targets" | "details">;

/** What belongs to a change on record, all of it optional. */
interface Recording<T> {
  /** Returns what the result of the change adds to the trail. */
  readonly returnedBy?: ((value: T) => Values) | undefined;
  /** The context of the call that makes the change. */
  readonly context?: CallContext;
}

/**
 * Makes a change that is on record: the trail has an entry before it begins, and its result before this function
 * returns. If the process ends in between, the result in the trail is unknown.
 *
 * @throws ConnectError unavailable if the trail cannot be written: before the change, it is not made. After it, the
 * caller learns that it may have been made
 */
export async function recordChange<T>(
  trail: Trail,
  action: Action,
  work: () => Promise<T>,
  { returnedBy = () => ({}), context }: Recording<T> = {},
): Promise<T> {
  const of = await trail.append({ ...action, kind: "begin" }, context);
  const end = (result: EntryResult, returned: Values) =>
    trail.append({ ...action, kind: "end", of, result, returned }, context);
  const value = await work().catch(async (error: unknown) => {
    // The caller gets the error of the change, whether or not the trail has it.
    await end(resultOf(error), appliedBefore(error)).catch(() => {});
    throw error;
  });
  await end(ok, returnedBy(value));
  return value;
}

export const ok: EntryResult = { code: "ok" };

export function resultOf(error: unknown): EntryResult {
  if (!(error instanceof ConnectError)) return { code: codeOf(error) };
  const reason = reasonOf(error);
  return { code: codeName("connect", error.code), ...(reason !== undefined && { reason }) };
}

/** Errors of commands have a code too. Any other error is a bug. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "internal";
}

/** Returns what a failed import has done before its error; nothing for other errors. */
function appliedBefore(error: unknown): Values {
  if (!(error instanceof ConnectError)) return {};
  const [info] = error.findDetails(ErrorInfoSchema);
  const rows = info?.metadata.appliedRows;
  return rows === undefined ? {} : { rows: Number(rows) };
}
