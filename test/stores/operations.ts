import { hash } from "node:crypto";
import fc from "fast-check";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { HoldState, OrderStatus } from "../../gen/store/v1/store_pb.ts";
import type { CountedRequest } from "../../src/access/caller.ts";
import { limitsOf, type PlanChoice } from "../../src/access/plans.ts";
import { scopes } from "../../src/access/scopes.ts";
import { minuteMs } from "../../src/common/durations.ts";
import type { AccountChange } from "../../src/stores/account-store.ts";
import {
  maxQuantity,
  type QuantityDelta,
  type QuantityUpdate,
} from "../../src/stores/inventory-store.ts";
import {
  type ChangeRequest,
  type Conditions,
  changesInEntry,
  type Origin,
} from "../../src/stores/stock-change.ts";
import type { Stores } from "../../src/stores/stores.ts";
import {
  type KeyMinute,
  type KnownBan,
  totalOf,
  type UsageStore,
} from "../../src/stores/usage-store.ts";
import { someKey, type TestKey } from "../support/accounts.ts";
import { someTime } from "../support/stores.ts";

export const historyClock = { now: someTime };
/** When the current history began. */
let begin = someTime;

/** An operation that runs on the stores under test and on the model. */
export type Operation = (stores: Stores) => Promise<unknown>;

/** Makes an operation that runs on random values. */
function on<T extends unknown[]>(
  run: (stores: Stores, ...values: T) => Promise<unknown>,
  ...values: { [I in keyof T]: fc.Arbitrary<T[I]> }
): fc.Arbitrary<Operation> {
  return fc.tuple<T>(...values).map((found) => (stores) => run(stores, ...found));
}

export const accountIds = ["aaaaaaaaaaaa", "bbbbbbbbbbbb"] as const;
export const firstKey = someKey(accountIds[0]);
const testKeys = [
  firstKey,
  ...accountIds.flatMap((accountId) => [1, 2, 3].map(() => someKey(accountId))),
];

const anAccount = fc.constantFrom(...accountIds);
const aKey = fc.constantFrom(...testKeys);
export const somePets = [1n, 2n, 10n, 9007199254740993n, 9223372036854775807n] as const;
const aPet = fc.constantFrom(...somePets);
const aQuantity = fc.oneof(fc.nat(20), fc.constantFrom(0, 1, maxQuantity - 1, maxQuantity));
const aStatus = fc.constantFrom(PetStatus.AVAILABLE, PetStatus.PENDING, PetStatus.SOLD);
const anItem = fc.record({ petId: aPet, quantity: aQuantity, status: aStatus });
/** Names and SKUs, of which some are absent, and some pets ask for the same. */
const someNames = fc.record({
  name: fc.option(fc.constantFrom("", "Rex", 'Löwe \u{1f981}, the "first"'), { nil: undefined }),
  sku: fc.option(fc.constantFrom("", "A-1", "B 2,3", "C"), { nil: undefined }),
});
const aPetToPut = fc.tuple(anItem, someNames).map(([item, names]) => ({ ...item, ...names }));
const petsToPut = fc
  .uniqueArray(aPetToPut, { minLength: 1, maxLength: 5, selector: ({ petId }) => petId })
  .map((pets) => {
    const skus = pets.map(({ sku }) => sku);
    return pets.map((pet, at) => (skus.indexOf(pet.sku) === at ? pet : { ...pet, sku: undefined }));
  });
const maxInt64 = 9223372036854775807n;
/** An order id, or a negative number: the n-th order of the history, resolved when the operation runs. */
const anOrderId = fc.oneof(fc.bigInt({ min: -8n, max: -1n }), fc.constant(maxInt64));

/** The ids of the orders of the current history, oldest first. */
const orderIds: bigint[] = [];

/** Replaces a negative number by the id of an order. */
function knownOrder(order: bigint): bigint {
  return order < 0n ? (orderIds[Number(-order) - 1] ?? -order) : order;
}

/** The versions of the stock after each step of the current history, oldest first. */
export const versions: bigint[] = [];
/** The largest distance of a random version from one of {@link versions}: within a batch, and a little before it. */
const farthest = 110n;

/** A version, or a negative number that {@link known} resolves when the operation runs. */
const aVersion = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.bigInt({ min: 0n, max: 30n }), fc.bigInt({ min: 0n, max: farthest - 1n }))
      .map(([steps, before]) => -(steps * farthest + before) - 1n),
  },
  { weight: 1, arbitrary: fc.constantFrom(0n, 1n, maxInt64 - 1n, maxInt64) },
);

/** Replaces the negative numbers in a value by versions. */
function known<T>(value: T): T {
  if (typeof value === "bigint" && value < 0n) {
    const place = -value - 1n;
    const version = (versions.at(-1 - Number(place / farthest)) ?? 0n) - (place % farthest);
    return (version > 0n ? version : 0n) as T;
  }
  if (Array.isArray(value)) return value.map(known) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, known(member)]),
  ) as T;
}

const someVersion = fc.option(aVersion, { nil: undefined });
const aLimit = fc.oneof(
  fc.integer({ min: 1, max: 7 }),
  fc.integer({ min: 8, max: 250 }),
  fc.constant(1_000),
);
const aDelta = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(-maxQuantity - 1, -maxQuantity, maxQuantity),
);
const anOrigin: fc.Arbitrary<Origin> = fc.record({
  reason: fc.constantFrom(ChangeReason.ARRIVAL, ChangeReason.RETURN),
  // Separators that the scripts use, which clients may send too.
  note: fc.constantFrom("", "a, note", "two\nlines \u{1f436}", "a\u0000b", "\u{1f436}".repeat(500)),
  reference: fc.constantFrom("", "PO 7", "\u{1f436}".repeat(100)),
  accountId: anAccount,
  keyId: fc.constant("key"),
  requestId: fc.constantFrom("", "request"),
});
const someConditions: fc.Arbitrary<Conditions> = fc.record({
  expectedVersions: fc.option(fc.array(aVersion, { maxLength: 20 }), { nil: undefined, freq: 2 }),
  excludedVersions: fc.option(fc.array(aVersion, { maxLength: 20 }), { nil: undefined, freq: 2 }),
  expectedQuantity: fc.option(fc.nat(20), { nil: undefined, freq: 1 }),
});
const noConditions = fc.constant<Conditions | undefined>(undefined);
const anUpdate = fc
  .tuple(aPet, aQuantity, fc.oneof(noConditions, someConditions))
  .map(([petId, quantity, conditions]) => ({ petId, quantity, ...conditions }));
const aDeltaOfAPet = fc
  .tuple(aPet, aDelta, fc.oneof(noConditions, someConditions))
  .map(([petId, delta, conditions]) => ({ petId, delta, ...conditions }));
const aCount = fc.record({
  petId: aPet,
  counted: aQuantity,
  expectedOnHand: fc.option(fc.nat(20), { nil: undefined, freq: 1 }),
});
const aRequest: fc.Arbitrary<ChangeRequest> = fc.record({
  origin: fc.option(anOrigin, { nil: undefined }),
  // Few keys, so that other requests and other accounts use them again.
  idempotency: fc.option(
    fc.record({ key: fc.constantFrom("k1", "k 2", "k".repeat(255)), fingerprint: fc.constant("") }),
    { nil: undefined },
  ),
});

/** Some changes of different pets. */
const ofPets = <T extends { readonly petId: bigint }>(change: fc.Arbitrary<T>) =>
  fc.uniqueArray(change, { minLength: 1, maxLength: 5, selector: ({ petId }) => petId });

/** Numbers of pets around the number that shares an entry of the history. */
const manyPets = fc
  .constantFrom(changesInEntry - 1, changesInEntry, changesInEntry + 1, 2 * changesInEntry + 1)
  .map((length) => Array.from({ length }, (_, index) => BigInt(index + 1)));

function fingerprinted(request: ChangeRequest, ...asked: readonly unknown[]): ChangeRequest {
  const text = JSON.stringify(asked, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const fingerprint = hash("sha256", text, "hex");
  return request.idempotency
    ? { ...request, idempotency: { ...request.idempotency, fingerprint } }
    : request;
}

const aPlan: fc.Arbitrary<PlanChoice> = fc.oneof(
  fc.constantFrom({ plan: "free" } as const, { plan: "pro" } as const),
  fc.record({
    plan: fc.constant("enterprise" as const),
    limits: fc.record({
      perMinute: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(1_000_000)),
      perDay: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(1_000_000_000)),
    }),
  }),
);

/** The latest timestamp, in milliseconds. */
const lastTime = 253_402_300_799_999;

/** The expiry of a key: around now, and at the bounds of valid requests. */
const anExpiry: fc.Arbitrary<(now: number) => number | undefined> = fc.oneof(
  fc.constantFrom(-1, 0, 1, lastTime).map((time) => () => time),
  fc.constantFrom(-1, 0, 1).map((after) => (now: number) => now + after),
  fc.integer({ min: 2, max: 200_000 }).map((after) => (now: number) => now + after),
  fc.constant(() => undefined),
);
const aGrace = fc.oneof(
  fc.constantFrom(0, 1, 366 * 86_400_000),
  fc.integer({ min: 0, max: 100_000 }),
);
const aName = fc.constantFrom("", " ", "till 1", "a\u0000b", "two\nlines", "\u{1f436}".repeat(200));
const someScopes = fc.oneof(fc.constant(["store:read"] as const), fc.subarray([...scopes]));

/** Networks of keys, and addresses within and outside of them. */
const someNetworks = fc.constantFrom([], [], ["41"], ["40", "6"]);
const aClient = fc
  .constantFrom(undefined, `41${"0".repeat(31)}`, `4${"0".repeat(32)}`, `6${"1".repeat(128)}`)
  .map((address) => address && { network: () => address });

/** Keys are made once, because their secrets are random. */
function unlessMade(key: TestKey, make: Operation): Operation {
  return async (stores) => {
    const keys = (await stores.accounts.listKeys(key.keyId.slice(0, 12))) ?? [];
    return keys.some(({ keyId }) => keyId === key.keyId) ? "made before" : make(stores);
  };
}

/** Requests that a store has counted as one, and that may count as more. */
const countedBy = new WeakMap<Stores, CountedRequest[]>();

/** Admits a request, which may be charged later. */
function admissionOf(key: fc.Arbitrary<TestKey>): fc.Arbitrary<Operation> {
  return fc.tuple(key, fc.integer({ min: 1, max: 3 }), aClient).map(
    ([{ keyId, keyHash }, times, client]): Operation =>
      async (stores) => {
        const decisions: unknown[] = [];
        for (let i = 0; i < times; i++) {
          const accountId = keyId.slice(0, 12);
          const decision = await stores.admission.admitKey(accountId, keyHash, undefined, client);
          decisions.push(decision);
          if (decision.verdict === "admitted") {
            const counted = { accountId, keyHash, countedAt: decision.countedAt };
            countedBy.getOrInsertComputed(stores, () => []).push(counted);
          }
        }
        return decisions;
      },
  );
}

/** Charges one of the admitted requests. */
const aCharge: fc.Arbitrary<Operation> = fc
  .tuple(fc.nat(5), fc.oneof(fc.integer({ min: 2, max: 9 }), fc.constantFrom(21, 50, 61)))
  .map(
    ([which, requests]): Operation =>
      async (stores) => {
        const waiting = countedBy.get(stores) ?? [];
        const [counted] = waiting.splice(which % (waiting.length || 1), 1);
        return counted && stores.admission.charge(counted, requests);
      },
  );

/** A plan that few requests nearly exhaust. */
const aSmallPlan: fc.Arbitrary<PlanChoice> = fc.record({
  plan: fc.constant("enterprise" as const),
  limits: fc.record({
    perMinute: fc.integer({ min: 1, max: 8 }),
    perDay: fc.integer({ min: 1, max: 20 }),
  }),
});

const aState = fc.constantFrom("enabled", "disabled");
const aChange: fc.Arbitrary<AccountChange> = fc.record(
  { choice: aPlan, policy: fc.constantFrom("any", "strict"), state: aState },
  { requiredKeys: [] },
);

/** Operations on the windows of one account. */
export const quotaOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: admissionOf(fc.constant(firstKey)) },
  { weight: 6, arbitrary: aCharge },
  on(({ accounts }, plan) => accounts.update(accountIds[0], { choice: plan }), aSmallPlan),
  on(({ accounts }, state) => accounts.update(accountIds[0], { state }), aState),
);

/** Adds counts, or all bans, or reads the usage of an account. */
const usageOperation: fc.Arbitrary<Operation> = fc.oneof(
  fc
    .array(
      fc.record({
        key: aKey,
        minutesAgo: fc.oneof(fc.nat(3), fc.nat(70)),
        admitted: fc.nat(3),
        limited: fc.nat(2),
        banned: fc.nat(1),
      }),
      { maxLength: 5 },
    )
    .map(
      (found): Operation =>
        ({ usage }) => {
          const minute = Math.floor(historyClock.now / minuteMs);
          const counts = found.map(({ key: { keyId }, minutesAgo, ...requests }) => ({
            accountId: keyId.slice(0, 12),
            keyId,
            minute: minute - minutesAgo,
            ...requests,
          }));
          return addUsage(usage, counts, []);
        },
    ),
  fc.constant<Operation>(allBans),
  on(({ usage }, account, plan) => usage.quota(account, limitsOf(plan)), anAccount, aSmallPlan),
  on((stores, account) => usageOf(stores, account), anAccount),
  on(
    ({ usage }, order, limit) => usage.top(order, limit),
    fc.constantFrom("requests", "refused"),
    fc.integer({ min: 1, max: 3 }),
  ),
);

/** Adds counts and bans in a batch for each slot, as a process does. */
async function addUsage(
  usage: UsageStore,
  counts: readonly KeyMinute[],
  bans: readonly KnownBan[],
): Promise<unknown> {
  const slotOf = ({ keyId }: { readonly keyId: string }) => usage.slotOf(keyId.slice(0, 12));
  const slots = new Set([...counts, ...bans].map(slotOf));
  return Promise.all(
    [...slots].map((slot) =>
      usage.add({
        counts: counts.filter((each) => slotOf(each) === slot),
        bans: bans.filter((each) => slotOf(each) === slot),
      }),
    ),
  ).then((added) => added.every(Boolean));
}

/** Puts all bans into the index, which a process does with those that it causes. Returns the list, by pages of two. */
async function allBans({ accounts, usage }: Stores): Promise<unknown> {
  const keys = await Promise.all(accountIds.map((accountId) => accounts.listKeys(accountId)));
  const bans = keys
    .flatMap((each) => each ?? [])
    .flatMap(({ keyId, bannedUntil: until }) =>
      until === undefined ? [] : [{ keyId, since: historyClock.now, until }],
    );
  await addUsage(usage, [], bans);
  const found: unknown[] = [];
  let page = await usage.bans(undefined, 2);
  found.push(...page.bans);
  while (page.next) {
    page = await usage.bans(page.next, 2);
    found.push(...page.bans);
  }
  return found;
}

/** Returns the counts of an account of the last hour and of 30 days, without those that are zero. */
async function usageOf({ usage }: Stores, accountId: string): Promise<unknown> {
  const { now } = historyClock;
  const { minutes, days } = await usage.read(accountId, now, 30);
  const current = Math.floor(now / minuteMs);
  return {
    minutes: [...minutes]
      .filter(([minute, counts]) => minute > current - 60 && totalOf(counts) > 0)
      .sort(([a], [b]) => a - b),
    days: [...days]
      .map(([day, keys]) => [
        day,
        keys
          .filter(({ requests }) => totalOf(requests) > 0)
          .sort((a, b) => (a.keyId < b.keyId ? -1 : 1)),
      ])
      .filter(([, keys]) => (keys as unknown[]).length > 0)
      .sort(([a], [b]) => Number(a) - Number(b)),
  };
}

export const accountOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: admissionOf(aKey) },
  { weight: 8, arbitrary: aCharge },
  {
    weight: 12,
    arbitrary: fc.tuple(aKey, fc.integer({ min: 1, max: 70 }), aClient).map(
      ([{ keyId, keyHash }, times, client]): Operation =>
        async ({ admission }) => {
          const decisions: unknown[] = [];
          for (let i = 0; i < times; i++) {
            const accountId = keyId.slice(0, 12);
            decisions.push(await admission.admitKey(accountId, keyHash, undefined, client));
          }
          return decisions;
        },
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        key: aKey,
        name: aName,
        scopes: someScopes,
        expiry: anExpiry,
        networks: someNetworks,
      })
      .map(({ key, name, scopes, expiry, networks }) =>
        unlessMade(key, ({ accounts }) =>
          accounts.createKey(key.keyId.slice(0, 12), {
            keyId: key.keyId,
            keyHash: key.keyHash,
            name,
            scopes,
            expiresAt: expiry(historyClock.now),
            networks,
          }),
        ),
      ),
  },
  on(({ accounts }, { keyId }) => accounts.revokeKey(keyId), aKey),
  on(({ accounts }, { keyId }) => accounts.unbanKey(keyId), aKey),
  fc
    .tuple(aKey, aKey, aGrace)
    .filter(([old, next]) => old !== next && old.keyId.slice(0, 12) === next.keyId.slice(0, 12))
    .map(([old, next, grace]) =>
      unlessMade(next, ({ accounts }) => accounts.rotateKey(old.keyId, next, grace)),
    ),
  {
    weight: 3,
    arbitrary: on(
      ({ accounts }, account, change) => accounts.update(account, change),
      anAccount,
      aChange,
    ),
  },
  on(({ accounts }, account, name) => accounts.update(account, { name }), anAccount, aName),
  on(({ accounts }, account) => accounts.listKeys(account), anAccount),
  on(({ accounts }, account) => accounts.getAccount(account), anAccount),
  fc.oneof(anAccount, fc.constant("zzzzzzzzzzzz")).map(
    (account): Operation =>
      ({ accounts }) =>
        accounts.wasCreated(account),
  ),
  { weight: 3, arbitrary: usageOperation },
  on(
    ({ accounts }, accountId, limit) =>
      accounts.listAccounts(accountId && { accountId, createdAt: begin }, limit),
    fc.option(anAccount, { nil: undefined }),
    aLimit,
  ),
  on(
    ({ admission }, address, perMinute) =>
      admission.countAddress(address, { perMinute, perDay: 9 }),
    fc.constantFrom("192.0.2.1", "2001:db8::/64"),
    fc.integer({ min: 1, max: 5 }),
  ),
);

export const stockOperation: fc.Arbitrary<Operation> = fc.oneof(
  on(({ catalog }, pet) => catalog.create(pet), aPetToPut),
  fc.tuple(petsToPut, aRequest).map(
    ([items, request]): Operation =>
      ({ catalog }) =>
        catalog.put(items, request.origin, fingerprinted(request, "put", items).idempotency),
  ),
  {
    weight: 2,
    arbitrary: on(
      ({ inventory }, change, request) =>
        inventory.change(known(change), fingerprinted(request, "one", change)),
      fc.oneof(anUpdate, aDeltaOfAPet),
      aRequest,
    ),
  },
  {
    weight: 2,
    arbitrary: on(
      ({ inventory }, changes, request) =>
        inventory.changeAll(known(changes), fingerprinted(request, changes)),
      fc.oneof<fc.Arbitrary<QuantityUpdate[] | QuantityDelta[]>[]>(
        ofPets(anUpdate),
        ofPets(aDeltaOfAPet),
      ),
      aRequest,
    ),
  },
  on(
    ({ inventory }, counts, request) =>
      inventory.count(counts, fingerprinted(request, "count", counts)),
    ofPets(aCount),
    aRequest,
  ),
  on(
    ({ catalog }, petIds, quantity) =>
      catalog.put(petIds.map((petId) => ({ petId, quantity, status: PetStatus.PENDING }))),
    manyPets,
    aQuantity,
  ),
  on(
    ({ inventory }, petIds, quantity, conditions, request) =>
      inventory.changeAll(
        known(petIds.map((petId) => ({ petId, quantity, ...conditions }))),
        fingerprinted(request, "many", petIds.length, quantity, conditions),
      ),
    manyPets,
    aQuantity,
    fc.oneof(noConditions, someConditions),
    aRequest,
  ),
  on(
    ({ inventory }, petIds, delta, conditions, request) =>
      inventory.changeAll(
        known(petIds.map((petId) => ({ petId, delta, ...conditions }))),
        fingerprinted(request, "many deltas", petIds.length, delta, conditions),
      ),
    manyPets,
    aDelta,
    fc.oneof(noConditions, someConditions),
    aRequest,
  ),
  fc.record({ petId: fc.option(aPet, { nil: undefined }), from: someVersion, limit: aLimit }).map(
    (query): Operation =>
      ({ inventory }) =>
        inventory.changes(known(query)),
  ),
  fc.constant<Operation>(({ inventory }) => inventory.historyStart()),
  on(
    ({ inventory }, version, limit) => inventory.changesSince(known(version), limit),
    aVersion,
    aLimit,
  ),
  on(
    ({ inventory }, after, limit) => inventory.page(after, limit),
    fc.option(aPet, { nil: undefined }),
    aLimit,
  ),
  on(
    ({ inventory }, after, limit) => inventory.levels({ after, limit }),
    fc.option(aPet, { nil: undefined }),
    aLimit,
  ),
  on(
    ({ inventory }, petIds) => inventory.levels({ petIds, limit: 1 }),
    fc.subarray([...somePets], { minLength: 1 }),
  ),
  on(
    ({ catalog }, pet, names, status) => catalog.update(pet, { ...names, status }),
    aPet,
    someNames,
    fc.option(aStatus, { nil: undefined }),
  ),
  fc.constant<Operation>(({ catalog }) => catalog.list()),
  on(
    ({ catalog }, after, limit) => catalog.page(after, limit),
    fc.option(aPet, { nil: undefined }),
    aLimit,
  ),
  on(
    ({ catalog }, petIds, skus) => catalog.find({ petIds, skus }),
    fc.option(fc.subarray([...somePets], { minLength: 1 }), { nil: undefined }),
    fc.option(fc.subarray(["A-1", "B 2,3", "C", "D"], { minLength: 1 }), { nil: undefined }),
  ),
  on(({ inventory }, pet) => inventory.get(pet), aPet),
  on(({ catalog }, pet) => catalog.remove(pet), aPet),
  fc.constant<Operation>(({ inventory }) => inventory.list()),
  fc.tuple(anAccount, aPet, aQuantity, fc.constantFrom("", "a, b\n c 1,2"), aRequest).map(
    ([account, petId, quantity, reference, request]): Operation =>
      async ({ orders }) => {
        const change = fingerprinted(request, "place", petId, quantity, reference);
        const outcome = await orders.place(account, { petId, quantity, reference }, change);
        const id = outcome.kind === "placed" ? outcome.order.orderId : undefined;
        if (id !== undefined && !orderIds.includes(id)) orderIds.push(id);
        return outcome;
      },
  ),
  on(
    ({ orders }, account, order) => orders.cancel(account, knownOrder(order)),
    anAccount,
    anOrderId,
  ),
  on(
    ({ orders }, account, order, to) => orders.advance(account, knownOrder(order), to),
    anAccount,
    anOrderId,
    fc.constantFrom(OrderStatus.APPROVED, OrderStatus.DELIVERED),
  ),
  {
    weight: 2,
    arbitrary: on(
      ({ orders }, accountId, before, limit) =>
        orders.list({ accountId, before: before && knownOrder(before), limit }),
      fc.option(anAccount, { nil: undefined, freq: 2 }),
      fc.option(anOrderId, { nil: undefined }),
      aLimit,
    ),
  },
  on(({ orders }, account, order) => orders.get(account, knownOrder(order)), anAccount, anOrderId),
  on(({ orders }, account) => orders.count(account), anAccount),
  on(({ orders }, account) => orders.deleteAll(account), anAccount),
);

/** Few, so that they are replaced, and so that new ones begin under the ids of ended ones. */
const aHoldId = fc.constantFrom("cart", "~.", "a".repeat(64));
const someHeld = fc.uniqueArray(
  fc.record({
    petId: aPet,
    quantity: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(maxQuantity)),
  }),
  { minLength: 1, maxLength: 4, selector: ({ petId }) => petId },
);
/** Short, so that holds are due often. */
const aTtl = fc.constantFrom(1, 1_000, 60_000, 86_400_000);
const { ACTIVE, CONFIRMED, RELEASED, EXPIRED } = HoldState;

export const holdOperation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(anAccount, aHoldId, someHeld, aTtl, anOrigin, fc.boolean()).map(
      ([account, hold, items, ttlMs, origin, isNew]): Operation =>
        ({ holds }) =>
          holds.put(account, hold, { items, ttlMs, isNew }, { origin }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(anAccount, aHoldId, anOrigin).map(
      ([account, hold, origin]): Operation =>
        async ({ holds }) => {
          const outcome = await holds.confirm(account, hold, { origin });
          const ids = outcome.kind === "held" ? outcome.hold.orderIds : [];
          orderIds.push(...ids.filter((id) => !orderIds.includes(id)));
          return outcome;
        },
    ),
  },
  on(
    ({ holds }, account, hold, origin) => holds.release(account, hold, { origin }),
    anAccount,
    aHoldId,
    anOrigin,
  ),
  on(({ holds }, account, hold) => holds.get(account, hold), anAccount, aHoldId),
  fc
    .record({
      accountId: fc.option(anAccount, { nil: undefined }),
      petId: fc.option(aPet, { nil: undefined }),
      states: fc.subarray([ACTIVE, CONFIRMED, RELEASED, EXPIRED], { minLength: 1 }),
      before: someVersion,
      limit: fc.integer({ min: 1, max: 3 }),
    })
    .map(
      (query): Operation =>
        ({ holds }) =>
          holds.list(known(query)),
    ),
  fc.constant<Operation>(async ({ holds }) => {
    while (await holds.sweep("a process"));
  }),
  fc.constant<Operation>(({ holds }) => holds.totals()),
  on(({ holds }, account) => holds.deleteAll(account), anAccount),
);

/**
 * Begins a history. It has its own time, so that the cached list of the history before has no version of this one.
 *
 * @param stores the stores in Redis, which later histories use, too
 */
export function beginHistory(stores: Stores): void {
  begin += 3_600_007;
  historyClock.now = begin;
  countedBy.delete(stores);
  versions.length = 0;
  orderIds.length = 0;
}
