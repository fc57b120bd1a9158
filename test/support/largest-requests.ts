import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { methods, rpcName, sampleOf } from "../../packaging/generate/samples/requests.ts";
import { type Given, longName } from "../../packaging/generate/samples/sample.ts";
import { newAccountId } from "../../src/access/api-key.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addKey } from "./accounts.ts";
import { placed } from "./stock.ts";

/** The most expensive requests of a method with an input. */
export interface LargestRequests {
  readonly method: DescMethod;
  /** Such as `store.v1.StoreService/GetHold: 100 items`. */
  readonly title: string;
  /** Makes the next request, as ProtoJSON, and what it needs; or says why its cost has no bound. */
  readonly make: (() => Promise<JsonObject>) | string;
}

/** What the requests are made of. */
export interface Basis {
  readonly stores: Stores;
  /** The account that sends them. */
  readonly accountId: string;
  /** Returns pets of the stock (see {@link Given}.pets). */
  readonly pets: (count: number, from: number) => readonly bigint[];
}

/** Returns the most expensive requests of all methods, as their samples declare them. */
export function largestRequests({ stores, accountId, pets }: Basis): readonly LargestRequests[] {
  let numbers = 0;
  const number = () => ++numbers;
  const somePets = (count: number, from = 0) => pets(count, from).map(String);
  async function account() {
    const id = newAccountId();
    await stores.accounts.createAccount(id, longName, { plan: "free" });
    return id;
  }
  const given: Omit<Given, "index"> = {
    ...{ accountId, stores, number, account, pets: somePets },
    async pet() {
      const petId = BigInt(number());
      await stores.catalog.create({ petId, quantity: 1, status: PetStatus.AVAILABLE });
      return `${petId}`;
    },
    async order() {
      const [petId = 0n] = pets(1, 600);
      return `${(await placed(stores.orders, accountId, petId, 1)).orderId}`;
    },
    async hold(count) {
      const holdId = `hold-${number()}`;
      const items = pets(count, 4_000).map((petId) => ({ petId, quantity: 1 }));
      await stores.holds.put(accountId, holdId, { items, ttlMs: 86_400_000 });
      return holdId;
    },
    key: async () => (await addKey(stores, await account(), { name: longName })).keyId,
  };
  return methods.flatMap((method) =>
    Object.entries(sampleOf(method).largest).map(([input, request]) => {
      let index = 0;
      const title = input === "" ? rpcName(method) : `${rpcName(method)}: ${input}`;
      if (typeof request === "string") return { method, title, make: request };
      return { method, title, make: async () => request({ ...given, index: index++ }) };
    }),
  );
}
