import type { NodeFactory, RedisNode } from "./node.ts";
import { type Outages, watchNode } from "./outages.ts";
import { repeat, waitUntil } from "./repeat.ts";
import { connectSentinels, type Fault, pauseMs } from "./sentinels.ts";
import { addressText, type RedisSettings } from "./settings.ts";
import type { Topology } from "./topology.ts";

/** How long the connection to a new primary may take, in milliseconds. */
const connectMs = 1_000;

/**
 * Connects to the primary that the sentinels report, and to its successor after a failover. Asks all known sentinels and
 * follows the latest failover, because a sentinel that was cut off still reports the former primary. Sentinels also report
 * other sentinels, so all can be replaced. See https://redis.io/docs/latest/develop/reference/sentinel-clients/
 */
export function followSentinels(
  settings: RedisSettings,
  createNode: NodeFactory,
  outages: Outages,
  onFailure: (error: unknown) => void,
): Topology {
  const name = settings.sentinelName ?? "";
  /** Set by the sentinels, and by servers that do not become the primary. */
  const fault: Fault = { last: undefined };
  const sentinels = connectSentinels(settings, fault, outages, onFailure);
  let primary: RedisNode | undefined;
  let isStopped = false;

  /** Whether the sentinels report a server. A restarted former primary accepts commands until they make it a replica. */
  async function isPrimary(address: string): Promise<boolean> {
    const found = await sentinels.askAll();
    return found !== undefined && addressText(found) === address;
  }

  async function follow(): Promise<void> {
    const found = await sentinels.askAll();
    if (!found || isStopped || primary?.address === addressText(found)) return;
    const address = addressText(found);
    // The primary has one name, whatever server it is.
    const watch = watchNode(outages, name, () => primary === candidate);
    const candidate: RedisNode = createNode(found, watch, () => isPrimary(address));
    // Sentinels can still report a server that was just demoted. It does not become ready.
    if ((await candidate.ready(connectMs)) && !isStopped) {
      const former = primary;
      primary = candidate;
      void candidate.reportWritable();
      await former?.close();
    } else {
      fault.last = candidate.failure() ?? fault.last;
      candidate.disconnect();
    }
  }

  const following = repeat(
    async () => {
      await follow();
      if (!primary && fault.last) throw fault.last;
    },
    () => (primary?.isReady() ? pauseMs.usual : pauseMs.outage),
    onFailure,
  );

  return {
    slotOf: () => 0,
    nodeOf: () => primary,
    nodes: () => (primary ? [primary] : []),
    redirect: () => undefined,
    refresh: following.soon,
    ready: (timeoutMs) => waitUntil(() => primary?.isReady() ?? false, timeoutMs),
    failure: () => (primary ? primary.failure() : fault.last),
    stop() {
      isStopped = true;
      following.stop();
      sentinels.stop();
    },
  };
}
