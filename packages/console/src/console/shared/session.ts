import { storedValue, storeValue } from "./browser-storage.ts";
import type { CallFault } from "./call-fault.ts";
import { createStore } from "./store.ts";

/** The API key of this tab. The reference page uses the same entry. */
const storageKey = "inventory.api-key";

/** What is known about the key. */
export interface Identity {
  readonly keyId: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly scopes: ReadonlySet<string>;
  /** The limits of the account, in requests. Updates of an open page must not use them up. */
  readonly limits: { readonly perMinute: number; readonly perDay: number };
}

export interface Session {
  /** The API key; undefined when the user is not signed in. */
  readonly key: string | undefined;
  /** Undefined until the server has reported it. */
  readonly identity: Identity | undefined;
  /** The error that has ended the last session, such as that of a revoked key. */
  readonly endedBy: CallFault | undefined;
}

/** The session of this tab. The key is kept in sessionStorage at most, so it ends with the tab. */
export const session = createStore<Session>({
  key: storedValue("sessionStorage", storageKey),
  identity: undefined,
  endedBy: undefined,
});

/** Begins a session with a key that the server has accepted. */
export function signIn(key: string, identity: Identity | undefined): void {
  storeValue("sessionStorage", storageKey, key);
  session.set({ key, identity, endedBy: undefined });
}

/** Adds the identity of a key to its session. Does nothing if the user has signed out since, or uses another key. */
export function setIdentity(key: string, identity: Identity): void {
  if (session.get().key === key) signIn(key, identity);
}

/** Ends the session. @param endedBy the error that has ended it; undefined if the user has signed out */
export function signOut(endedBy?: CallFault): void {
  storeValue("sessionStorage", storageKey, undefined);
  session.set({ key: undefined, identity: undefined, endedBy });
}

/** Whether the key has a scope. True while the scopes are not known: the server decides then. */
export function hasScope({ identity }: Session, scope: string): boolean {
  return identity === undefined || identity.scopes.has(scope);
}
