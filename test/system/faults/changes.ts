import type { DescMethod } from "@bufbuild/protobuf";
import type { Redis } from "ioredis";
import { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { methods, rpcName } from "../../../packaging/generate/samples/requests.ts";
import { minRefusalsBeforeBan } from "../../../src/access/bans.ts";
import { isRead } from "../../../src/contract/annotations.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey, type TestKey } from "../../support/accounts.ts";
import { addSampleData, requestOf, type SampleData } from "../../support/operations.ts";
import { callsOn } from "../../support/services.ts";

/** What changes begin with. */
interface Filled {
  /** The data of the samples. */
  readonly sample: SampleData;
  /** A key of another account, which the next refused request bans. */
  readonly impatient: TestKey;
}

/** A change, and the data that it begins with. */
interface Change {
  readonly name: string;
  fill(redis: Redis, stores: Stores): Promise<Filled>;
  make(stores: Stores, filled: Filled): Promise<unknown>;
}

const other = "bbbbbbbbbbbb";
/** All of its units are in a due hold. */
const duePet = 7n;

type Make = (stores: Stores, filled: Filled) => Promise<unknown>;

/** The samples of all methods that change something. */
const samples = methods.filter((method) => !isRead(method) && method.methodKind === "unary");

/** Changes that no method makes, or not by a sample. */
const others: Readonly<Record<string, Make>> = {
  "an import": ({ catalog }) =>
    catalog.put([
      { petId: 1n, quantity: 7, status: PetStatus.SOLD },
      { petId: 3n, quantity: 7, status: PetStatus.SOLD },
    ]),
  "admitting a request": ({ admission }, { sample: { accountId, key } }) =>
    admission.admitKey(accountId, key.keyHash),
  "counting a batch": ({ admission }, { sample: { accountId, key } }) =>
    admission.charge({ accountId, keyHash: key.keyHash, countedAt: Date.now() }, 2),
  "banning a key": ({ admission }, { impatient }) => admission.admitKey(other, impatient.keyHash),
  "counting a request without a key": ({ admission }) =>
    admission.countAddress("192.0.2.1", { perMinute: 9, perDay: 9 }),
  "appending to the audit trail": ({ audit }) => audit.append("{}"),
  "counting the usage of a key": ({ usage }, { sample: { accountId, keyId } }) =>
    usage.add({
      counts: [{ accountId, keyId, minute: 1, admitted: 1, limited: 1, banned: 1 }],
      bans: [],
    }),
  "ending due holds": ({ holds }) => holds.sweep("a process"),
  "taking the place of a follower": ({ places }) =>
    places.hold("relay", "a process", { from: "", to: "1" }),
  "leaving the place of a follower": ({ places }) => places.release("relay", "a process"),
};

/** All changes of data in Redis that a request can cause. */
export const changes: readonly Change[] = [
  ...samples.map((method) => ({
    name: rpcName(method),
    fill: (redis: Redis, stores: Stores) => fill(redis, stores, method),
    make(stores: Stores, { sample }: Filled) {
      // A key cannot disable or delete its own account.
      const caller = method.parent === AdminService ? other : sample.accountId;
      // An entry of the audit trail is a change of its own.
      const { audit } = createMemoryStores();
      return callsOn({ ...stores, audit }, caller)(method, requestOf(method, sample));
    },
  })),
  ...Object.entries(others).map(([name, make]) => ({ name, fill, make })),
];

/** Replaces all data, so that each change is made in the same data. */
async function fill(redis: Redis, stores: Stores, method?: DescMethod): Promise<Filled> {
  await redis.flushall();
  await redis.set("inv:format", 1);
  const sample = await addSampleData(stores, method);
  await stores.catalog.put([{ petId: duePet, quantity: 1, status: PetStatus.AVAILABLE }]);
  await addAccount(stores, { plan: "enterprise", limits: { perMinute: 1, perDay: 1 } }, other);
  const impatient = await addKey(stores, other);
  const admit = () => stores.admission.admitKey(other, impatient.keyHash);
  await Promise.all(Array.from({ length: 1 + minRefusalsBeforeBan }, admit));
  const items = [{ petId: duePet, quantity: 1 }];
  await stores.holds.put(other, "due", { items, ttlMs: 1 });
  return { sample, impatient };
}
