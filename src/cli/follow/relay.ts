import { setTimeout as delay } from "node:timers/promises";
import { ChangeReasonSchema, PetStatusSchema } from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumNumber, enumWords } from "../../common/enum-word.ts";
import type { StockChange } from "../../stores/stock-change.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interruptible } from "../interruption.ts";
import { readText } from "../output/file-format.ts";
import { withStores } from "../session/session.ts";
import { createDelivery } from "./deliver.ts";
import { type FollowOptions, follow, followerName } from "./follow.ts";
import { changeJson, historyRecords } from "./history-records.ts";
import { startRelayObservers } from "./relay-observers.ts";
import { createSend, type Message, parseReceiver, parseSecrets } from "./webhook.ts";

interface RelayOptions extends FollowOptions, RelaySelection {
  readonly to: string;
  readonly secretFile?: string;
}

/**
 * Sends changes of the stock to a URL as webhooks, after the place of a name, until SIGINT or SIGTERM.
 *
 * @throws CommandError gone if the receiver wants no more; out_of_range if changes after the place are lost
 */
export async function relayHistory(
  environment: Environment,
  name: string,
  options: RelayOptions,
): Promise<void> {
  const fullName = followerName("relay", name);
  const to = parseReceiver(options.to);
  const isSelected = relaySelector(options);
  const send = createSend(to, await readSecrets(environment, options.secretFile));
  const observers = await startRelayObservers(environment, name);
  const { line, setActive } = observers;
  try {
    await withStores(environment, (stores) =>
      interruptible((signal) => {
        const deliver = createDelivery({
          send,
          onAttempt: observers.onAttempt,
          onFailure: (failure) => line("relayFailed", { relay: name, ...failure }),
          pause: (ms) => delay(ms, undefined, { signal }),
        });
        return follow({
          name: fullName,
          options,
          signal,
          records: historyRecords(stores),
          places: stores.places,
          events: {
            onWaiting() {
              setActive(0);
              line("relayWaits", { relay: name });
            },
            onBegin({ place, isNew }) {
              setActive(1);
              line("relayBegins", { relay: name, version: place, isNew });
            },
            onOutage: (reason) => line("redisUnavailable", { reason }),
            onRead() {},
          },
          handOn: (changes, holdFor) =>
            deliverEach(
              changes.filter(isSelected),
              (change) => deliver(messageOf(change), holdFor),
              observers.setPending,
            ),
        });
      }),
    );
    line("stopped", { reason: "signal" });
  } finally {
    observers.close();
  }
}

/** Delivers changes in order, and reports which one is pending. Yields each delivered change. */
export async function* deliverEach(
  changes: readonly StockChange[],
  deliver: (change: StockChange) => Promise<void>,
  setPending: (changedAt: number | undefined) => void,
): AsyncGenerator<StockChange> {
  try {
    for (const change of changes) {
      setPending(change.changedAt);
      await deliver(change);
      yield change;
    }
  } finally {
    // If the lease is lost, another process delivers the change.
    setPending(undefined);
  }
}

/** Returns the message for a change, which is the same in every attempt. */
export function messageOf(change: StockChange): Message {
  const timestamp = new Date(change.changedAt).toISOString();
  const body = `{"type":"inventory.changed","timestamp":"${timestamp}","data":${changeJson(change)}}`;
  return { id: `${change.version}`, body };
}

/** Reads the secrets from a file, or from the environment: other users of the machine can read command lines. */
async function readSecrets({ env }: Environment, path: string | undefined) {
  const { RELAY_SECRET: secret } = env;
  if (path !== undefined && secret) {
    throw usageError("--secret-file and RELAY_SECRET are both set: remove one of them");
  }
  if (path !== undefined) {
    return parseSecrets(`--secret-file: ${path}`, await readText(path, "--secret-file: "));
  }
  if (secret) return parseSecrets("RELAY_SECRET", secret);
  throw usageError(
    "the secret that signs the webhooks is not set: use --secret-file, or set RELAY_SECRET",
  );
}

/** The options that select changes. All that are given must hold. */
interface RelaySelection {
  readonly below?: number;
  readonly status?: string;
  readonly reason?: readonly string[];
}

/** Returns a function that says whether a change is selected. @throws CommandError */
export function relaySelector({ below, status, reason = [] }: RelaySelection) {
  const wanted = status === undefined ? undefined : enumNumber(PetStatusSchema, status);
  const reasons = reason.map((word) => {
    const number = enumNumber(ChangeReasonSchema, word);
    if (number !== undefined) return number;
    const words = enumWords(ChangeReasonSchema).join(", ");
    throw usageError(`--reason: "${word}" is not a reason. Use one of ${words}`);
  });
  return (change: StockChange): boolean =>
    (below === undefined || crosses(change, below)) &&
    (wanted === undefined || change.status === wanted || change.statusBefore === wanted) &&
    (reasons.length === 0 || reasons.includes(change.reason));
}

/** Whether a quantity was at least a number, and is less now. A removed pet has no quantity. */
function crosses({ quantityBefore, quantityAfter }: StockChange, below: number): boolean {
  if (quantityBefore === undefined || quantityAfter === undefined) return false;
  return quantityBefore >= below && quantityAfter < below;
}
