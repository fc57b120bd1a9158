import { readConfig } from "../../config/config.ts";
import { basicHandlers } from "../../observability/admin-port/handlers.ts";
import { startAdminPort } from "../../observability/admin-port/start.ts";
import { type FieldsOf, type LineName, writeLine } from "../../observability/log/lines.ts";
import { createLog } from "../../observability/log/log.ts";
import { metrics } from "../../observability/metrics/definitions.ts";
import { add, set } from "../../observability/metrics/metric.ts";
import { createRegistry } from "../../observability/metrics/registry.ts";
import { orUsageError, usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { print } from "../output/terminal.ts";

/**
 * Starts the log and the admin port of a relay. Returns functions that log and count what it does.
 *
 * @throws CommandError if a setting is invalid, or the port cannot be used
 */
export async function startRelayObservers({ env, stdout }: Environment, relay: string) {
  const config = orUsageError(() => readConfig(env));
  const log = createLog(config.logLevel, undefined, { write: (line) => print(stdout, line) });
  const registry = createRegistry();
  const { relayDeliveries, relayLag, relayActive } = metrics;
  const shown = [relayDeliveries, relayLag, relayActive];
  const results = {
    delivered: registry.family(relayDeliveries).with(relay, "delivered"),
    failed: registry.family(relayDeliveries).with(relay, "failed"),
  };
  const lag = registry.family(relayLag).with(relay);
  const active = registry.family(relayActive).with(relay);
  let pending: number | undefined;
  registry.beforeSnapshot(() => {
    set(lag, pending === undefined ? 0 : Math.max(0, Date.now() - pending) / 1_000);
  });
  const handlers = () => basicHandlers(shown, registry.snapshot);
  const close = await startAdminPort(config.admin, handlers, log).catch((error: unknown) => {
    throw usageError(error instanceof Error ? error.message : `${error}`);
  });
  return {
    line: <N extends LineName>(name: N, fields: FieldsOf<N>) => writeLine(log, name, fields),
    onAttempt: (result: keyof typeof results) => add(results[result]),
    setActive: (isActive: 0 | 1) => set(active, isActive),
    /** @param changedAt when the change was made that is being delivered, in milliseconds since the epoch; undefined for none */
    setPending(changedAt: number | undefined): void {
      pending = changedAt;
    },
    close,
  };
}
