import { expect, test } from "vitest";
import {
  type Identity,
  session,
  setIdentity,
  signIn,
  signOut,
} from "../../src/console/shared/session.ts";

const identity: Identity = {
  keyId: "aaaaaaaaaaaabbbbbbbb",
  accountId: "aaaaaaaaaaaa",
  accountName: "Shop",
  scopes: new Set(),
  limits: { perMinute: 60, perDay: 1_000 },
};

test("a late identity of a key that has signed out begins no session", () => {
  signIn("a", undefined);
  setIdentity("a", identity);
  expect(session.get()).toMatchObject({ key: "a", identity });
  signOut();
  setIdentity("a", identity);
  expect(session.get().key).toBeUndefined();
  signIn("b", undefined);
  setIdentity("a", identity);
  expect(session.get()).toMatchObject({ key: "b", identity: undefined });
});
