import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  ChangeReasonSchema,
  type InventoryChange,
  InventoryChangeSchema,
  PetStatusSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../common/enum-word.ts";
import { httpJson } from "../../contract/http-json.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interruptible } from "../interruption.ts";
import { isoTime } from "../output/output.ts";
import { openScreen, type Screen } from "../output/screen.ts";
import { type Column, table } from "../output/table.ts";
import { print, write } from "../output/terminal.ts";
import { required, smallPage, withSession } from "../session/session.ts";
import { isOutage, type StockEvent } from "../session/stock-events.ts";
import { newestChanges, petOf } from "./item-history.ts";
import { type SelectionOptions, selectionFields } from "./items.ts";

/** Shortest time between two drawings, in milliseconds. */
const redrawMs = 100;

/** Most pets that the screen remembers. A terminal shows fewer. */
const maxPets = 200;

/**
 * Shows changes of the stock as they are made: on a terminal the pets that changed last, else one JSON line for each
 * change. Ends after SIGINT or SIGTERM.
 *
 * @throws CommandError if the service rejects the watch
 */
export async function watchItems(
  environment: Environment,
  pet: string | undefined,
  { limit = Number.POSITIVE_INFINITY, ...options }: SelectionOptions & { readonly limit?: number },
): Promise<void> {
  const petId = petOf(pet);
  const fields = selectionFields(options);
  const isSelective = Object.keys(fields).length > 0;
  const selection = { ...fields, petIds: petId === undefined ? [] : [petId] };
  const { format = "table", stdout } = environment;
  if (format === "csv") {
    throw usageError("--output: must be table, json or ndjson, because a watch has no end");
  }
  const screen = format === "table" ? openScreen(stdout) : undefined;
  await interruptible((signal) =>
    withSession(environment, async (session) => {
      const stop = new AbortController();
      const either = AbortSignal.any([signal, stop.signal]);
      const earlier: Earlier = (pageSize) =>
        newestChanges(session, { petId, pageSize, pageToken: "" });
      const view = screen
        ? screenView(screen, isSelective ? undefined : earlier)
        : lineView(environment);
      let changes = 0;
      try {
        for await (const event of session.stockEvents(either, selection)) {
          await view.show(event);
          if (event.kind === "change") changes += 1;
          if (changes >= limit) break;
        }
      } finally {
        stop.abort();
        view.close();
      }
    }),
  );
}

interface View {
  show(event: StockEvent): Promise<void>;
  close(): void;
}

function lineView({ stdout, stderr, jsonErrors }: Environment): View {
  let lastState: string | undefined;
  return {
    async show(event) {
      if (event.kind === "change") {
        const json = httpJson.encodeJson(InventoryChangeSchema, event.change);
        await write(stdout, `${json}\n`);
        return;
      }
      const state = event.kind === "lost" ? `waiting: ${event.why}` : "watching the stock";
      if (!jsonErrors && state !== lastState) print(stderr, `${state}\n`);
      lastState = state;
    },
    close() {},
  };
}

/** Reads the newest changes that were made before the watch. */
type Earlier = (pageSize: number) => ReturnType<typeof newestChanges>;

/** @param earlier undefined if a change must fit more than the pet, so that earlier changes are not shown */
function screenView(screen: Screen, earlier: Earlier | undefined): View {
  /** The last change of each pet, the newest last. */
  const last = new Map<bigint, InventoryChange>();
  let state = "connecting";
  let isListed = earlier === undefined;
  let timer: NodeJS.Timeout | undefined;

  function add(change: InventoryChange): void {
    last.delete(change.petId);
    last.set(change.petId, change);
    const [oldest] = last.keys();
    if (last.size > maxPets && oldest !== undefined) last.delete(oldest);
  }

  /** Begins with the changes that were made before. An outage in the meantime is reported by the events. */
  async function list(read: Earlier): Promise<void> {
    try {
      const { changes } = await read(Math.min(screen.rows(), smallPage.changes));
      for (const change of changes.toReversed()) add(change);
      isListed = true;
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
  }

  function draw(): void {
    timer = undefined;
    const lines = table(columns, [...last.values()].toReversed()).lines(screen.columns());
    screen.draw([`Inventory: ${state}. Ctrl-C ends.`, "", ...lines]);
  }

  return {
    async show(event) {
      if (event.kind === "change") add(event.change);
      else state = event.kind === "lost" ? `${event.why}, retrying` : "live";
      if (event.kind === "connected" && earlier && !isListed) await list(earlier);
      timer ??= setTimeout(draw, redrawMs);
    },
    close() {
      clearTimeout(timer);
      draw();
      screen.close();
    },
  };
}

const columns: readonly Column<InventoryChange>[] = [
  { title: "PET ID", of: ({ petId }) => petId, isNumber: true },
  { title: "QUANTITY", of: ({ quantityAfter }) => quantityAfter ?? "removed", isNumber: true },
  { title: "CHANGE", of: differenceOf, isNumber: true },
  {
    title: "STATUS",
    of: ({ status }) => (status === undefined ? "" : enumWord(PetStatusSchema, status)),
  },
  { title: "REASON", of: ({ reason }) => enumWord(ChangeReasonSchema, reason) },
  { title: "TIME", of: ({ changedAt }) => isoTime(timestampMs(required(changedAt))) },
];

function differenceOf({ quantityBefore = 0, quantityAfter = 0 }: InventoryChange): string {
  const difference = quantityAfter - quantityBefore;
  return difference > 0 ? `+${difference}` : `${difference}`;
}
