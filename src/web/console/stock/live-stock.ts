import { Code } from "@connectrpc/connect";
import type { InventoryChange } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { inventory } from "../shared/api.ts";
import { type CallFault, endsSession, faultOf } from "../shared/call-fault.ts";
import type { ConnectionState } from "../shared/connection-state.tsx";
import { session } from "../shared/session.ts";
import { createStore } from "../shared/store.ts";
import type { Item } from "./item.ts";
import { waitToRetry } from "./retry.ts";
import { createSilenceLimit } from "./silence-limit.ts";
import { createStockModel } from "./stock-model.ts";

/** The stock and the state of its watch. */
export interface LiveStock {
  readonly items: readonly Item[];
  /** Whether the stock was complete once. */
  readonly isLoaded: boolean;
  readonly connection: ConnectionState;
  /** The error that ended the last connection. Undefined while the watch is live. */
  readonly fault: CallFault | undefined;
}

const empty: LiveStock = {
  items: [],
  isLoaded: false,
  connection: "connecting",
  fault: undefined,
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
let isRendering = false;

/** Calls a function with every change that arrives. @returns a function that ends this */
export function onChange(observer: (change: InventoryChange) => void): () => void {
  observers.add(observer);
  return () => observers.delete(observer);
}

/** Watches the stock, and reconnects after errors, until the signal is aborted or the session ends. */
export async function watchStock(signal: AbortSignal): Promise<void> {
  if (liveStock.get().connection !== "connecting") update({ connection: "connecting" });
  for (let count = 0; !signal.aborted; count++) {
    const beganAt = performance.now();
    const { fault, isCounted } = await watchOnce(signal);
    if (performance.now() - beganAt > lastingMs) count = 0;
    if (signal.aborted || endsSession(fault)) break;
    if (finalCodes.has(fault.code)) {
      update({ connection: "ended", fault });
      break;
    }
    // The history no longer has the changes since the token: begin again with the whole stock.
    if (fault.reason === "WATCH_EXPIRED") token = "";
    update({ connection: "reconnecting", fault });
    await waitToRetry({ count, isCounted, atLeastMs: fault.retryAfterMs }, signal);
  }
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
      if (event.case === "heartbeat") silenceLimit.heartbeat(performance.now());
      clearTimeout(timer);
      timer = setTimeout(onSilence, silenceLimit.ms());
      token = resumeToken || token;
      if (event.case === "change") for (const observer of observers) observer(event.value);
      if (model.apply(event, performance.now())) {
        update({ isLoaded: true, connection: "live", fault: undefined, items: model.items() });
      } else if (event.case === "change") renderSoon();
    }
    return { fault: faultOf(new Error("The watch has ended.")), isCounted: true };
  } catch (error) {
    const fault = faultOf(error);
    const isRefused = fault.reason !== undefined && fault.code !== Code.Unavailable;
    return { fault, isCounted: hasEvents || isRefused };
  } finally {
    clearTimeout(timer);
  }
}

function update(more: Partial<LiveStock>): void {
  liveStock.set({ ...liveStock.get(), ...more });
}

function renderSoon(): void {
  if (isRendering) return;
  isRendering = true;
  setTimeout(() => {
    isRendering = false;
    if (liveStock.get().isLoaded) update({ items: model.items() });
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
