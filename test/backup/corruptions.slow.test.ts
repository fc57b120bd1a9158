import { afterAll, beforeAll, expect, test } from "vitest";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { defaultScopes } from "../../src/access/scopes.ts";
import { accountIndexKey, accountKey } from "../../src/stores/redis/keys.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { runHere } from "../cli/command-line.ts";
import { addAccount } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";
import { type Corruption, corruptionsOf } from "./corruptions.ts";

const redis = useRedis("--appendonly", "no");
const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";
const own: { stores?: Stores; corruptions: Corruption[] } = { corruptions: [] };

const inventory = (...args: string[]) => runHere(args, { redisUrl: redis.url });

/** What `verify` cannot see; docs/operator/redis.md sums it up. Each must occur, so that the list stays true. */
const unseen: Readonly<Record<string, RegExp>> = {
  "names, limits of a plan, and when an account was disabled":
    /^inv:\{a\d+\}:[^:]{12}: field (?:name "test"|plan "(?:enterprise \d+ \d+|disabled \d+ pro)") to /,
  "name and times of a key":
    /^inv:\{a\d+\}:[^:]{12}: field i:\S{20} "(?<hash>\S{43}) \d+ (?:till)?" to "\k<hash> \d+ /,
  "scopes, last use, expiry, revocation and level of ban of a key":
    /^inv:\{a\d+\}:[^:]{12}: field \S{43} "(?<id>\S{20}) .*" to "\k<id> 1[56] \d+ \d+ \d+ [045] \d+"$/,
  "entries of keys that are not banned, in the lists of bans": /^inv:\{a\d+\}:bans: \S{20} also as/,
  "counters of limits": /^inv:\{(?:a|address:)\d+\}:\S+(?:windows|refusals:\S{43}|\d): delete$/,
  "counters of usage": /^inv:\{a\d+\}:(?:\S{12}:(?:day|hour)|top-(?:requests|refused)):\d+: /,
  "memory of deletions": /^inv:(?:\{accounts\}:deleted|\{stock\}:deleted-account:\S{12}): /,
  "revocations that watches have read, or will miss until the next heartbeat":
    /^inv:\{stock\}:revocations: /,
  "stored responses": /^inv:\{stock\}:outcome:\S+: (?:delete$|"\d+ \S+ )/,
  "names of pets":
    /^inv:\{stock\}:names: field (?<pet>\d) "(?<sku>\w+ \d)\tRex" to "\k<sku>\taex"$/,
  "the latest changes of the catalogue, without which processes read all of it":
    /^inv:\{stock\}:catalog-changes: (?:delete|entry \d (?:before "0"|pets))/,
  "free text and request ids of changes":
    /^inv:\{stock\}:changes: entry \d+ (?:note|request|reference "(?:delivery 7|sold|released|active|due|over)?") /,
  "which key of an account made a change":
    /^inv:\{stock\}:changes: entry \d+ key "(?<of>.{12})\S{8}" to "\k<of>\S{8}"$/,
  "the reason of a change, among those that a caller can give":
    /^inv:\{stock\}:changes: entry 1 reason "1" to "2"$/,
  "changes by orders of deleted accounts":
    /^inv:\{stock\}:changes: entry 8 (?:reason "4" to "5"|reference|account)/,
  "the time of a change in the script call of another":
    /^inv:\{stock\}:changes: entry \d+ time "\d+" to /,
  "expiry of holds that ended, and state and contents of those that were not confirmed":
    /^inv:\{stock\}:holds: field (?:\S+\/sold "(?<sold>2,\d+,)\d+(?<rest>,\S+ \S+ \S+)" to "\k<sold>\d+\k<rest>"|\S+\/(?:released|over) "[34],(?<life>\d+),\d+,(?<end>\d+),0,0 .*" to "[34],\k<life>,\d+,\k<end>,0,0 )/,
  "the number of holds that have ended":
    /^inv:\{stock\}:holds: (?:(?:delete )?field|swap fields) (?:confirmed|released|expired)(?: "\d+" to | and (?:confirmed|released|expired)$|$)/,
  "approvals and deliveries of orders":
    /^inv:\{stock\}:account-orders:\S{12}: (?<id>\d{19}),\d+,\d+,1,(?<at>\d+(?: \w+)?) to \k<id>,\d+,\d+,2,\k<at>$/,
  "a higher last order id, and what the service corrects by itself":
    /^inv:\{stock\}:(?:last-order: "\d+" to "1\d+"$|run: (?!.* 9007199254740992"$))/,
  "the number of the format": /^inv:format: delete$/,
  "contents of the audit trail, and a loss at its beginning, which its copy in the log shows":
    /^inv:\{audit\}:entries: (?:delete(?: all entries| the older half| the oldest entry| entry 0)?$|swap|entry \d (?:time|body|also at the end))/,
};

/**
 * What `verify` says of the corruptions, a line each. N is a number, A an account, K a key, H the name of a hold or field,
 * R the advice to repair, and * any text.
 */
const findings = `
* held units are counted, but those of each pet are N in all: R
account A has * keys, but counts *: R
account A has N orders, but does not exist: run inventory accounts delete A
account A has holds, but does not exist: run inventory accounts delete A
account A has no name or no valid plan
account A has no time of creation
account A has orders, but does not exist: run inventory accounts delete A
account A has the field *, which cannot be
account A is in the index, but does not exist: R an hour after its creation
account A is not in its place among the accounts with ended orders: R
account A is not in the index: R
account A was created at N, but the index has N: R
an item has the version N, but the stock N
change N of the catalogue does not follow the one before: R
change N of pet N does not continue its previous change
entry N of the history does not continue the one before
entry N of the history has the key *, which is not one of account *
entry N of the history has the time N, which does not fit its version
entry N of the history has the unknown reason N
entry N of the history has versions out of order
entry N of the history is for a hold, but takes or returns no units of one
entry N of the history is for an order, but does not place or cancel one
error: The data in Redis has format *, and this version uses format N. Run the version of the service that wrote the data.
error: found N disagreement among N items, N accounts with N keys, N orders, N holds and N changes
error: found N disagreements among *
hold A/H cannot be read
hold A/H is not in the index, or in a wrong place: R
holds have N units of pet N, which is not in the stock
holds of account A and their orders have N units of pet N, but N in the history
inv:* cannot be read
inv:* cannot be read: R
inv:* does not expire: R
inv:* expires: send PERSIST to keep it
inv:{stock}:account-orders:A has * in a wrong place: R
key K expires, or was revoked, before it was created
key K has no valid record
key K has the hash of another key
key K has the level of ban N, which cannot be
key K is banned, but the list of bans does not say so: R
key K is not of account A
order * of account A cannot be read
order N exists, but the last order id is N
order N of account A differs from hold A/H
order N of account A differs from the change that cancelled it
order N of account A differs from the change that placed it
order N of account A has no change that placed it
order N of account A is cancelled, but its quantity was not put back
order N of account A is in an index of orders, but missing: R
order N of account A is in the history, but does not exist
order N of account A is not in an index of orders, or in a wrong place: R
order N of account A is out of order
order N of hold A/H does not exist
order N was cancelled twice
order N was placed after order N
pet N differs from its last change, N
pet N has names, but does not exist, or is not in the index of SKUs: R
pet N has the SKU * of another pet
pet N is counted with * held units, but its holds have N: R
pet N is in the history, but not in the stock
pet N is in the index, but not in the stock: R
pet N is in the stock, but not in its place in the index: R
the SKU * belongs to a pet that does not have it: R
the audit trail has entry N in place of N
the audit trail lacks N of its entries
the entry * of the index of the holds has no hold: R
the field H of the holds cannot be read
the field H of the holds is unknown
the history ends with N, but the stock has *
the history lacks its oldest entries: it begins after change N, but was trimmed only up to change N
`
  .trim()
  .split("\n");

const placeholders: Readonly<Record<string, string>> = {
  ...{ "*": ".*", N: "-?\\d+(?:-\\d+)?", A: "\\w{12}", K: "\\w{20}", H: "\\w+" },
  R: "run inventory verify --repair",
};
const formOf = (finding: string) =>
  new RegExp(
    `^${finding.replace(/\b[NAKHR]\b|[*{}]/g, (each) => placeholders[each] ?? `\\${each}`)}$`,
  );

beforeAll(async () => {
  await redis.client.flushall();
  own.stores = openRedisStores(redis.url);
  await own.stores.ready(5_000);
  await fill(own.stores);
  // As the next process does that starts.
  await own.stores.ready(5_000);
  for (const key of (await redis.client.keys("inv:*")).sort()) {
    for await (const corruption of corruptionsOf(redis.client, key)) {
      own.corruptions.push(corruption);
    }
  }
}, 60_000);
afterAll(() => own.stores?.close());

/** Adds a key whose id and hash are the same in every run, so that its corruptions are. */
async function addFixedKey(accountId: string, number: number, name = "", expiresAt?: number) {
  const keyId = `${accountId}key0000${number}`;
  const keyHash = `hash${number}`.padEnd(43, "-");
  const key = { keyId, keyHash, name, scopes: defaultScopes, expiresAt };
  await own.stores?.accounts.createKey(accountId, key);
  return { keyId, keyHash };
}

/** Lets an account be older, because `verify` does not report what can be a creation that has not ended. */
async function makeOlder(accountId: string): Promise<void> {
  const created = Date.now() - 120_000;
  await redis.client.hset(accountKey(accountId), "created", created);
  await redis.client.zadd(accountIndexKey, created, accountId);
}

/** Makes data of every kind. */
async function fill(stores: Stores): Promise<void> {
  const { accounts, admission, audit, catalog, inventory: stock, orders, usage } = stores;
  await addAccount(stores, { plan: "free" }, alice);
  await addAccount(stores, { plan: "enterprise", limits: { perMinute: 70, perDay: 900 } }, bob);
  await addAccount(stores, { plan: "pro" }, "cccccccccccc");
  for (const accountId of [alice, bob, "cccccccccccc"]) await makeOlder(accountId);
  const key = await addFixedKey(alice, 1, "till");
  const second = await addFixedKey(alice, 2, "", Date.now() + 3_600_000);
  const bobs = await addFixedKey(bob, 3);
  await accounts.revokeKey(second.keyId);
  await accounts.update("cccccccccccc", { state: "disabled" });
  const origin = (reason: ChangeReason) => ({
    reason,
    note: "from the farm",
    reference: "delivery 7",
    accountId: alice,
    keyId: key.keyId,
    requestId: "request",
  });
  const put = (petId: bigint) => ({ petId, quantity: 20, status: PetStatus.AVAILABLE });
  await catalog.put([1n, 2n, 3n].map(put), origin(ChangeReason.IMPORT));
  await catalog.update(1n, { name: "Rex", sku: "DOG 1" });
  await catalog.update(2n, { sku: "DOG 2" });
  await stock.change({ petId: 2n, quantity: 9 }, { origin: origin(ChangeReason.ARRIVAL) });
  const idempotency = { key: "once", fingerprint: "fingerprint" };
  await orders.place(
    alice,
    { petId: 1n, quantity: 4 },
    { origin: origin(ChangeReason.ORDER), idempotency },
  );
  const place = async (accountId: string, petId: bigint, quantity: number) => {
    const placed = await orders.place(accountId, { petId, quantity });
    if (placed.kind !== "placed") throw new Error(placed.kind);
    return placed.order.orderId;
  };
  await orders.cancel(alice, await place(alice, 1n, 1));
  await orders.advance(bob, await place(bob, 2n, 2), OrderStatus.DELIVERED);
  const lost = await place(bob, 3n, 1);
  await catalog.remove(3n);
  await orders.cancel(bob, lost);
  // An account that was deleted.
  const gone = "dddddddddddd";
  await addAccount(stores, { plan: "free" }, gone);
  await place(gone, 2n, 1);
  await accounts.remove(gone);
  await orders.deleteAll(gone);
  await accounts.unlist(gone);
  const { holds } = stores;
  const hour = 3_600_000;
  const items = [1n, 2n].map((petId) => ({ petId, quantity: Number(petId) }));
  for (const id of ["active", "sold", "released"])
    await holds.put(alice, id, { items, ttlMs: hour });
  await holds.confirm(alice, "sold");
  await holds.release(alice, "released");
  const [first] = items;
  if (!first) throw new Error("no item");
  await holds.put(bob, "over", { items: [first], ttlMs: 1 });
  await holds.release(bob, "over");
  await holds.put(bob, "due", { items: [{ ...first, quantity: 3 }], ttlMs: 1 });
  // The next number stands for no reason.
  await stock.change({ petId: 2n, quantity: 5 }, { origin: origin(ChangeReason.COUNT) });
  // Counters, a refusal, and a ban that began an hour ago.
  for (let request = 0; request < 62; request += 1) await admission.admitKey(alice, key.keyHash);
  await admission.countAddress("192.0.2.1", { perMinute: 10, perDay: 10 });
  const minute = Math.floor(Date.now() / 60_000);
  const counted = { minute, admitted: 5, limited: 2, banned: 1 };
  const counts = [{ accountId: alice, keyId: key.keyId, ...counted }];
  const since = Date.now() - 3_600_000;
  const ban = { keyId: bobs.keyId, since, until: since + 7_200_000 };
  await usage.add({ counts, bans: [ban] });
  const record = `${bobs.keyId} 15 0 0 0 4 ${ban.until}`;
  await redis.client.hset(accountKey(bob), bobs.keyHash, record);
  for (let entry = 1; entry <= 3; entry += 1) await audit.append(`{"number":${entry}}`);
}

/** The end of a line that verify --repair mends. */
const hint = ": run inventory verify --repair";

type Dump = ReadonlyMap<string, readonly [value: Buffer, ttl: number]>;

async function dumpAll(): Promise<Dump> {
  const dump = new Map<string, readonly [Buffer, number]>();
  for (const key of await redis.client.keys("*")) {
    dump.set(key, [await redis.client.dumpBuffer(key), await redis.client.pttl(key)]);
  }
  return dump;
}

async function restoreAll(dump: Dump): Promise<void> {
  const commands = redis.client.pipeline().flushall();
  for (const [key, [value, ttl]] of dump) commands.restore(key, Math.max(0, ttl), value);
  await commands.exec();
}

test("without corruption, verify finds nothing", async () => {
  const { code, stderr } = await inventory("verify");
  expect([code, stderr]).toEqual([0, ""]);
});

test("verify finds each corruption, except those that its docs name, and repairs what it says", async () => {
  const dump = await dumpAll();
  const lines = new Set<string>();
  const missed: string[] = [];
  const unrepaired: string[] = [];
  let repaired = 0;
  for (const { name, make } of own.corruptions) {
    await make();
    const { code, stderr } = await inventory("verify");
    if (code === 0) missed.push(name);
    for (const line of stderr.trimEnd().split("\n")) {
      if (line !== "") lines.add(line.replace(/ \(and \d+ more\)/, ""));
    }
    const repairable = stderr.split("\n").filter((line) => line.endsWith(hint));
    if (repairable.length > 0) {
      repaired += 1;
      const { stderr: problems } = await inventory("verify --repair");
      const after = await inventory("verify");
      const left = after.stderr.split("\n").filter((line) => line.endsWith(hint));
      if (left.length > 0) unrepaired.push(`${name}: ${problems} ${left}`);
    }
    await restoreAll(dump);
  }
  const forms = Object.entries(unseen);
  expect(missed.filter((name) => !forms.some(([, form]) => form.test(name)))).toEqual([]);
  const never = forms.filter(([, form]) => !missed.some((name) => form.test(name)));
  expect(never.map(([what]) => what)).toEqual([]);
  expect(unrepaired).toEqual([]);
  const known = findings.map(formOf);
  expect([...lines].filter((line) => !known.some((form) => form.test(line)))).toEqual([]);
  expect(findings.filter((_, at) => ![...lines].some((line) => known[at]?.test(line)))).toEqual([]);
  expect(repaired).toBeGreaterThan(50);
  expect(own.corruptions.length).toBeGreaterThan(500);
}, 300_000);
