import { create } from "@bufbuild/protobuf";
import { type Duration, type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Account,
  AccountSchema,
  type AdminService,
  type Key,
  KeySchema,
  type Limits as LimitsMessage,
  type Plan,
  PlanSchema,
} from "../../gen/admin/v1/admin_pb.ts";
import {
  type AccountPosition,
  type AccountRecord,
  type AccountStore,
  type KeyRecord,
  maxKeysPerAccount,
} from "../access/account-store.ts";
import {
  accountOfKeyId,
  newAccountId,
  newApiKey,
  newKeyId,
  parseApiKey,
} from "../access/api-key.ts";
import type { Caller } from "../access/caller.ts";
import { limitsOf, type PlanChoice, type PlanName, planFromName } from "../access/plans.ts";
import { defaultScopes, isScope } from "../access/scopes.ts";
import { enumWord } from "../call/enum-word.ts";
import type { ServiceFunctions } from "../call/service.ts";
import {
  accountNotFound,
  fieldsInvalid,
  keyNotFound,
  keyNotValid,
  ownAccount,
  tooManyKeys,
} from "../errors.ts";
import { pageToken, positionOfPage } from "../inventory/page-token.ts";

/** Grace period of a rotation by default, in milliseconds. */
const defaultGraceMs = 24 * 60 * 60 * 1000;
/** Longest grace period of a rotation, in milliseconds. */
const maxGraceMs = 366 * 24 * 60 * 60 * 1000;

/** Accounts per page by default. */
const defaultPageSize = 100;

/** Creates the methods of admin.v1.AdminService for accounts and keys. */
export function accountFunctions(store: AccountStore) {
  return {
    async createAccount({ name, plan, limits }, call) {
      const choice = planChoice(plan, limits);
      const account = await store.createAccount(newAccountId(), name, choice, call);
      return { account: accountMessage(account) };
    },

    async getAccount({ accountId }, call) {
      const account = await store.getAccount(accountId, call);
      if (!account) {
        throw accountNotFound(accountId);
      }
      return { account: accountMessage(account) };
    },

    async listAccounts({ pageSize = defaultPageSize, pageToken: token }, call) {
      const { accounts, next } = await store.listAccounts(startOfAccounts(token), pageSize, call);
      return {
        accounts: accounts.map(accountMessage),
        nextPageToken: next ? pageToken("account", `${next.createdAt} ${next.accountId}`) : "",
      };
    },

    async setPlan({ accountId, plan, limits }, call) {
      const account = await store.setPlan(accountId, planChoice(plan, limits), call);
      if (!account) {
        throw accountNotFound(accountId);
      }
      return { account: accountMessage(account) };
    },

    async renameAccount({ accountId, name }, call) {
      const account = await store.rename(accountId, name, call);
      if (!account) {
        throw accountNotFound(accountId);
      }
      return { account: accountMessage(account) };
    },

    async disableAccount({ accountId }, call) {
      if (accountId === call.caller.accountId) {
        throw ownAccount(accountId, "disabled");
      }
      const account = await store.setDisabled(accountId, true, call);
      if (!account) {
        throw accountNotFound(accountId);
      }
      return { account: accountMessage(account) };
    },

    async enableAccount({ accountId }, call) {
      const account = await store.setDisabled(accountId, false, call);
      if (!account) {
        throw accountNotFound(accountId);
      }
      return { account: accountMessage(account) };
    },

    async createKey({ accountId, name, scopes, expiresAt }, call) {
      const { secret, record } = generateKey(accountId);
      const created = {
        ...record,
        name,
        scopes: scopes.length > 0 ? scopes.filter(isScope) : defaultScopes,
        expiresAt: expiresAt && timeMs(expiresAt),
      };
      const key = await store.createKey(accountId, created, call);
      switch (key) {
        case "no_account":
          throw accountNotFound(accountId);
        case "too_many_keys":
          throw tooManyKeys(accountId, maxKeysPerAccount);
        case "expires_in_past":
          throw fieldsInvalid([{ field: "expires_at", description: "must be in the future" }]);
        default:
          return { secret, key: keyMessage(key) };
      }
    },

    async listKeys({ accountId }, call) {
      const keys = await store.listKeys(accountId, call);
      if (!keys) {
        throw accountNotFound(accountId);
      }
      return { keys: keys.map(keyMessage) };
    },

    async revokeKey({ keyId }, call) {
      const key = await store.revokeKey(keyId, call);
      if (!key) {
        throw keyNotFound(keyId);
      }
      return { key: keyMessage(key) };
    },

    async rotateKey({ keyId, grace }, call) {
      const accountId = accountOfKeyId(keyId);
      const { secret, record } = generateKey(accountId);
      const outcome = await store.rotateKey(keyId, record, graceMs(grace), call);
      switch (outcome) {
        case "no_key":
          throw keyNotFound(keyId);
        case "not_valid":
          throw keyNotValid(keyId);
        case "too_many_keys":
          throw tooManyKeys(accountId, maxKeysPerAccount);
        default:
          return {
            secret,
            key: keyMessage(outcome.created),
            rotated: keyMessage(outcome.rotated),
          };
      }
    },

    async unbanKey({ keyId }, call) {
      const key = await store.unbanKey(keyId, call);
      if (!key) {
        throw keyNotFound(keyId);
      }
      return { key: keyMessage(key) };
    },
  } satisfies Partial<ServiceFunctions<typeof AdminService, Caller>>;
}

/**
 * Decodes the page token of ListAccounts.
 *
 * @returns the last account of the previous page; undefined if the token is empty
 * @throws ConnectError invalid_argument if the token is malformed
 */
function startOfAccounts(token: string): AccountPosition | undefined {
  const position = positionOfPage("account", token, /^(\d{1,15}) ([0-9a-hjkmnp-tv-z]{12})$/);
  if (!position) return undefined;
  const [, createdAt, accountId = ""] = position;
  return { createdAt: Number(createdAt), accountId };
}

/** Generates a secret, and the id and hash to store for it. */
function generateKey(accountId: string) {
  const secret = newApiKey(accountId);
  const parsed = parseApiKey(secret);
  if (!parsed) {
    throw new Error("a new API key does not parse");
  }
  return { secret, record: { keyId: newKeyId(accountId), keyHash: parsed.hash } };
}

/** @throws ConnectError invalid_argument if the grace period is out of range */
function graceMs(grace: Duration | undefined): number {
  if (!grace) {
    return defaultGraceMs;
  }
  const ms = timeMs(grace);
  if (grace.seconds < 0n || grace.nanos < 0 || ms > maxGraceMs) {
    throw fieldsInvalid([{ field: "grace", description: "must be between 0 and 366 days" }]);
  }
  return ms;
}

/** Converts to milliseconds, rounded toward zero: rounding up could exceed the range of timestamps. */
function timeMs({ seconds, nanos }: Timestamp | Duration): number {
  return Number(seconds) * 1000 + Math.trunc(nanos / 1_000_000);
}

/**
 * Checks that a request has limits if, and only if, the plan is enterprise.
 *
 * @throws ConnectError invalid_argument
 */
function planChoice(plan: Plan, limits: LimitsMessage | undefined): PlanChoice {
  const name = enumWord(PlanSchema, plan) as PlanName;
  if (name === "enterprise") {
    if (!limits) {
      throw fieldsInvalid([
        { field: "limits", description: "is required with the plan enterprise" },
      ]);
    }
    return {
      plan: name,
      limits: { perMinute: Number(limits.perMinute), perDay: Number(limits.perDay) },
    };
  }
  if (limits) {
    throw fieldsInvalid([
      { field: "limits", description: `is not allowed with the plan ${name}: omit it` },
    ]);
  }
  return { plan: name };
}

function accountMessage({ choice, createdAt, disabledAt, ...account }: AccountRecord): Account {
  const { perMinute, perDay } = limitsOf(choice);
  return create(AccountSchema, {
    ...account,
    plan: planFromName(choice.plan),
    limits: { perMinute: BigInt(perMinute), perDay: BigInt(perDay) },
    createdAt: timestampFromMs(createdAt),
    disabledAt: optionalTimestamp(disabledAt),
  });
}

function keyMessage(key: KeyRecord): Key {
  return create(KeySchema, {
    keyId: key.keyId,
    accountId: accountOfKeyId(key.keyId),
    name: key.name,
    scopes: [...key.scopes],
    createdAt: timestampFromMs(key.createdAt),
    expiresAt: optionalTimestamp(key.expiresAt),
    revokedAt: optionalTimestamp(key.revokedAt),
    lastUsedAt: optionalTimestamp(key.lastUsedAt),
    bannedUntil: optionalTimestamp(key.bannedUntil),
  });
}

/** 9999-12-31T23:59:59.999Z, the last time that ProtoJSON can encode. */
const lastTimeMs = 253_402_300_799_999;

/** Converts a stored time. Earlier versions of the service stored times that are too late for ProtoJSON: they are capped. */
function optionalTimestamp(ms: number | undefined) {
  return ms === undefined ? undefined : timestampFromMs(Math.min(ms, lastTimeMs));
}
