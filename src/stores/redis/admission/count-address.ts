import { type AddressCounter, countersOf } from "../../../access/address-counters.ts";
import type { Limits } from "../../../access/plans.ts";
import type { CallContext } from "../../../common/call-context.ts";
import type { AdmissionStore, Quota } from "../../admission-store.ts";
import type { Connection } from "../connection/connection.ts";
import { addressWindowsKey } from "../keys.ts";
import { type Clock, loadBinaryScript } from "../scripts.ts";
import { batchByTick } from "../tick-batch.ts";
import { mostDecisions, readQuota } from "./decision.ts";
import { createKnownRefusals } from "./known-refusals.ts";
import { ReplyReader } from "./reply-reader.ts";

/** Most refusals by address that are cached: about 4 MB. */
const maxKnownRefusals = 10_000;

/** Makes the function that counts requests without a valid key. */
export function createAddressCount(
  connection: Connection,
  now: Clock,
): AdmissionStore["countAddress"] {
  const addressScript = loadBinaryScript(connection, "count-address");
  const refusals = createKnownRefusals(maxKnownRefusals);
  const clock = now ?? (() => performance.now());

  const countAddress = batchByTick(
    async (entries: readonly AddressEntry[]) => {
      const keys: string[] = [];
      const args: (string | number)[] = [now?.() ?? ""];
      for (const { networks } of entries) {
        args.push(networks.length);
        for (const { key, limits } of networks) {
          keys.push(key);
          args.push(limits.perMinute, limits.perDay);
        }
      }
      const sentAt = clock();
      // biome-ignore lint/plugin: at most 100 entries share a call
      const reply = await addressScript(keys, args, ...entries);
      const times = { sentAt, repliedAt: clock() };
      const reader = new ReplyReader(reply);
      return entries.map(({ networks }): Quota => {
        const { key, limits } = networks[reader.byte()] as AddressNetwork;
        const quota = readQuota(reader, limits);
        if (quota.verdict === "limited") refusals.add(key, limits, quota, times);
        return quota;
      });
    },
    mostDecisions,
    ({ networks: [{ key }] }) => connection.slotOf(key),
  );

  /**
   * Returns the longest refusal that is cached, or undefined when Redis has to decide. Another network of the address
   * may refuse for longer. The client learns that when it retries.
   */
  function knownRefusal(networks: readonly AddressNetwork[]): Quota | undefined {
    const time = clock();
    let longest: Quota | undefined;
    for (const { key, limits } of networks) {
      const known = refusals.find(key, limits, time);
      if (known && known.retryInMs > (longest?.retryInMs ?? 0)) longest = known;
    }
    return longest;
  }

  return async (address, limits, context) => {
    const [own, ...wider] = countersOf(address, limits);
    const networks = [networkOf(own), ...wider.map(networkOf)] as const;
    return knownRefusal(networks) ?? countAddress({ networks, record: context?.record });
  };
}

/** A network that a request without a valid key is counted for. */
interface AddressNetwork {
  /** The Redis key of its windows. */
  readonly key: string;
  readonly limits: Limits;
}

function networkOf(counter: AddressCounter): AddressNetwork {
  return { key: addressWindowsKey(counter), limits: counter.limits };
}

interface AddressEntry extends CallContext {
  /** From the narrowest network to the widest. Their counters are in one slot. */
  readonly networks: readonly [AddressNetwork, ...AddressNetwork[]];
}
