import { setTimeout as delay } from "node:timers/promises";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import type { InventoryChange, InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { reasonOf } from "../../contract/errors.ts";
import { changeMessage } from "../../services/inventory/change-message.ts";
import {
  checkSelection,
  isConcerned,
  type SelectionFields,
  selectionOf,
} from "../../services/inventory/selection.ts";
import type { Stores } from "../../stores/stores.ts";

/** What a command that watches the stock learns. */
export type StockEvent =
  | { readonly kind: "connected" }
  /** Changes are not read at the moment. They follow later, unless the history no longer has them. */
  | { readonly kind: "lost"; readonly why: string }
  | { readonly kind: "change"; readonly change: InventoryChange };

/** Delay before the next attempt to connect, in milliseconds. */
const retryMs = 500;

/** Yields the changes of the stock that concern a selection, from now on, until the signal is aborted. */
export async function* storeEvents(
  { inventory, readChanges }: Pick<Stores, "inventory" | "readChanges">,
  signal: AbortSignal,
  fields: SelectionFields = {},
): AsyncGenerator<StockEvent> {
  const selection = selectionOf(fields);
  if (selection) checkSelection(selection);
  const reader = readChanges();
  signal.addEventListener("abort", reader.close, { once: true });
  const newest = async () => (await inventory.list()).version;
  let version: bigint | undefined;
  let isConnected = false;
  try {
    while (!signal.aborted) {
      try {
        if (!isConnected) {
          // Only a response shows that an outage is over.
          const current = await newest();
          version ??= current;
          yield { kind: "connected" };
          isConnected = true;
        }
        version ??= await newest();
        const changes = await reader.next(version);
        if (!changes) {
          version = undefined;
          yield { kind: "lost", why: "the history no longer has all changes" };
          isConnected = false;
          continue;
        }
        for (const change of changes) {
          if (selection && !isConcerned(selection, change)) continue;
          yield { kind: "change", change: changeMessage(change, "whole") };
        }
        version = changes.at(-1)?.version ?? version;
      } catch (error) {
        if (signal.aborted) return;
        if (!isOutage(error)) throw error;
        isConnected = false;
        yield { kind: "lost", why: "Redis is not available" };
        await pause(signal);
      }
    }
  } finally {
    signal.removeEventListener("abort", reader.close);
    reader.close();
  }
}

/** Like {@link storeEvents}, from a server. Skips the snapshot of the stock. */
export async function* serverEvents(
  { watchInventory }: Pick<Client<typeof InventoryService>, "watchInventory">,
  signal: AbortSignal,
  selection: SelectionFields = {},
): AsyncGenerator<StockEvent> {
  let resumeToken = "";
  while (!signal.aborted) {
    let isStale = false;
    try {
      for await (const message of watchInventory(
        { ...selection, petIds: [...(selection.petIds ?? [])], resumeToken },
        { signal },
      )) {
        resumeToken = message.resumeToken || resumeToken;
        const { event } = message;
        if (event.case === "ready") yield { kind: "connected" };
        if (event.case === "heartbeat" && isStale !== Boolean(event.value.staleSince)) {
          isStale = !isStale;
          yield isStale
            ? { kind: "lost", why: "the server cannot read its database" }
            : { kind: "connected" };
        }
        if (event.case === "change") yield { kind: "change", change: event.value };
      }
      yield { kind: "lost", why: "the server has ended the watch" };
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ConnectError && error.code === Code.OutOfRange) resumeToken = "";
      else if (!isOutage(error)) throw error;
      yield { kind: "lost", why: "the server is not available" };
    }
    await pause(signal);
  }
}

/** Whether another attempt can succeed. */
export function isOutage(error: unknown): boolean {
  const codes = [Code.Unavailable, Code.DeadlineExceeded];
  if (!(error instanceof ConnectError)) return false;
  return codes.includes(error.code) || reasonOf(error) === "WATCH_TOO_SLOW";
}

async function pause(signal: AbortSignal): Promise<void> {
  await delay(retryMs, undefined, { signal }).catch(() => {});
}
