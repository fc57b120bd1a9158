import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import type {
  InventoryChange,
  WatchHeartbeat,
} from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { inventory } from "../shared/api.ts";
import { type CallFault, endsSession, faultOf, isCounted } from "../shared/call-fault.ts";
import type { ConnectionState } from "../shared/connection-state.tsx";
import { retryDelayMs } from "../shared/retry-delay.ts";
import { type RetryWait, startRetryWait } from "../shared/retry-wait.ts";
import { serviceNowMs } from "../shared/service-clock.ts";
import { session } from "../shared/session.ts";
import { createStore } from "../shared/store.ts";
import type { Item } from "./item.ts";
import { createSilenceLimit } from "./silence-limit.ts";
import { createStockModel } from "./stock-model.ts";

/** The stock and the state of its watch. */
export interface LiveStock {
  readonly items: readonly Item[];
  /** Whether the stock was complete once. */
  readonly isLoaded: boolean;
  /** The number of pets that have arrived before the stock is complete. */
  readonly arrived: number;
  readonly connection: ConnectionState;
  /** The error that ended the last connection. Undefined while there is one. */
  readonly fault: CallFault | undefined;
  /** Since when changes may be missing, in milliseconds since the epoch; undefined while the watch is live. */
  readonly staleSinceMs: number | undefined;
  /** When the page connects again, by the clock of the service; undefined while there is a connection. */
  readonly retryAtMs: number | undefined;
}

const empty: LiveStock = {
  items: [],
  isLoaded: false,
  arrived: 0,
  connection: "connecting",
  fault: undefined,
  staleSinceMs: undefined,
  retryAtMs: undefined,
};

/** The live stock. It stays when the user visits other views, so that the watch can resume. */
export const liveStock = createStore<LiveStock>(empty);

/** How long the page collects changes before it renders them, in milliseconds. */
const renderEveryMs = 50;
/** A connection that ends sooner, in milliseconds, counts as a failure, even if the stock has arrived. */
const lastingMs = 30_000;

/** Another attempt would fail in the same way, and would count against the limits of the account. */
const finalCodes: ReadonlySet<Code> = new Set([
  Code.PermissionDenied,
  Code.InvalidArgument,
  Code.Unimplemented,
]);

const model = createStockModel();
const silenceLimit = createSilenceLimit();
const observers = new Set<(change: InventoryChange) => void>();
let token = "";
/** When the last event arrived. */
let heardAtMs = 0;
let waiting: RetryWait | undefined;
let isRendering = false;

/** Calls a function with every change that arrives. @returns a function that ends this */
export function onChange(observer: (change: InventoryChange) => void): () => void {
  observers.add(observer);
  return () => observers.delete(observer);
}

/** Connects again now, if the page waits for that. */
export function retryNow(): void {
  waiting?.end();
}

/** Watches the stock, and reconnects after errors, until the signal is aborted or the session ends. */
export async function watchStock(signal: AbortSignal): Promise<void> {
  if (liveStock.get().connection !== "connecting") update({ ...live, connection: "connecting" });
  for (let count = 0; !signal.aborted; count++) {
    const beganAt = performance.now();
    const end = await watchOnce(signal);
    const { fault } = end;
    if (performance.now() - beganAt > lastingMs) count = 0;
    if (signal.aborted || endsSession(fault)) break;
    if (finalCodes.has(fault.code)) {
      update({ connection: "ended", fault });
      break;
    }
    // The history no longer has the changes since the token: begin again with the whole stock.
    if (fault.reason === "WATCH_EXPIRED") token = "";
    const delayMs = retryDelayMs({ count, ...end, atLeastMs: fault.retryAfterMs });
    const { isLoaded, staleSinceMs = isLoaded ? heardAtMs : undefined } = liveStock.get();
    update({
      connection: stateAfter(fault),
      fault,
      staleSinceMs,
      retryAtMs: serviceNowMs() + delayMs,
    });
    waiting = startRetryWait(delayMs, signal);
    await waiting.over;
  }
}

function stateAfter({ reason }: CallFault): ConnectionState {
  if (reason === undefined) return "reconnecting";
  return reason === "STORE_UNAVAILABLE" ? "stale" : "refused";
}

/** How a watch has ended. */
interface WatchEnd {
  readonly fault: CallFault;
  /** Whether the service has counted the request against the limits of the account. */
  readonly isCounted: boolean;
}

/** Watches until an error. */
async function watchOnce(signal: AbortSignal): Promise<WatchEnd> {
  const silence = new AbortController();
  const onSilence = () => {
    silenceLimit.passed();
    silence.abort();
  };
  let timer = setTimeout(onSilence, silenceLimit.ms());
  let hasEvents = false;
  const both = AbortSignal.any([signal, silence.signal]);
  model.begin();
  silenceLimit.begin();
  try {
    const events = inventory.watchInventory({ resumeToken: token }, { signal: both, timeoutMs: 0 });
    for await (const { event, resumeToken } of events) {
      hasEvents = true;
      heardAtMs = serviceNowMs();
      if (event.case === "heartbeat") onHeartbeat(event.value);
      clearTimeout(timer);
      timer = setTimeout(onSilence, silenceLimit.ms());
      token = resumeToken || token;
      if (event.case === "change") for (const observer of observers) observer(event.value);
      // biome-ignore lint/plugin: the model has a method of this name
      if (model.apply(event, performance.now())) {
        update({ ...live, isLoaded: true, items: model.items() });
      } else if (event.case === "change" || event.case === "snapshot") renderSoon();
    }
    return { fault: faultOf(new Error("The watch has ended.")), isCounted: true };
  } catch (error) {
    const fault = faultOf(error);
    return { fault, isCounted: hasEvents || isCounted(fault) };
  } finally {
    clearTimeout(timer);
  }
}

const live = {
  connection: "live",
  fault: undefined,
  staleSinceMs: undefined,
  retryAtMs: undefined,
} as const;

function onHeartbeat({ staleSince }: WatchHeartbeat): void {
  silenceLimit.heartbeat(performance.now());
  const { connection } = liveStock.get();
  if (staleSince) update({ connection: "stale", staleSinceMs: timestampMs(staleSince) });
  else if (connection === "stale") update(live);
}

function update(more: Partial<LiveStock>): void {
  liveStock.set({ ...liveStock.get(), ...more });
}

function renderSoon(): void {
  if (isRendering) return;
  isRendering = true;
  setTimeout(() => {
    isRendering = false;
    const { isLoaded } = liveStock.get();
    update(isLoaded ? { items: model.items() } : { arrived: model.arrived() });
  }, renderEveryMs);
}

let lastKey = session.get().key;
session.subscribe(() => {
  const { key } = session.get();
  if (key === lastKey) return;
  // The stock of one key must not be shown to the next one.
  lastKey = key;
  token = "";
  model.clear();
  liveStock.set(empty);
});
