import { createContextKey } from "@connectrpc/connect";
import type { HasValues } from "connect-gateway/call";
import { present } from "../common/present.ts";
import type { Scope } from "./scopes.ts";

/** A request as admission has counted it. */
export interface CountedRequest {
  readonly accountId: string;
  /** SHA-256 of the key in base64url. */
  readonly keyHash: string;
  /** When it was counted, by the store's clock: milliseconds since the epoch. */
  readonly countedAt: number;
}

/** A user of an operating system, who has direct access to the data. */
export interface Operator {
  readonly user: string;
  /** The user who runs the command by sudo. */
  readonly sudo?: string;
  readonly host: string;
}

/** The caller that admission has identified. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Whether its changes of the stock need conditions and idempotency keys. They do not within the process. */
  readonly isStrict?: boolean | undefined;
  /** The request as it was counted. Undefined for calls within the process, which are not counted. */
  readonly counted?: CountedRequest;
  /** Who makes a call within the process. Undefined for calls with a key. */
  readonly operator?: Operator;
}

/** The key of the caller among the values of a context. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** Returns the caller of a call to a method that needs an API key. */
export function callerOf({ values }: HasValues): Caller {
  return present(values.get(callerKey), "the caller of a method that needs a key");
}
