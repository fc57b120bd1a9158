import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { CatalogEntry } from "../../../gen/catalog/v1/catalog_pb.ts";
import {
  ChangeReasonSchema,
  type InventoryChange,
  InventoryChangeSchema,
  PetStatusSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../common/enum-word.ts";
import { httpJson } from "../../contract/json.ts";
import { usageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { interruptible } from "../interruption.ts";
import { isoTime } from "../output/output.ts";
import { openScreen, type Screen } from "../output/screen.ts";
import { type Column, table } from "../output/table.ts";
import { print, write } from "../output/terminal.ts";
import type { Session } from "../session/clients.ts";
import { type Entries, entriesOf, nameColumn, type SkuOption } from "../session/pets.ts";
import { required, smallPage, withSession } from "../session/session.ts";
import { isOutage, type StockEvent } from "../session/stock-events.ts";
import { newestChanges, requestOfPetOrAll } from "./item-history.ts";
import { type SelectionOptions, selectionFields } from "./items.ts";

/** Shortest time between two drawings, in milliseconds. */
const redrawMs = 100;

/** Most pets that the screen remembers. A terminal shows fewer. */
const maxPets = 200;

/** Shows changes of the stock as they are made, until SIGINT or SIGTERM. @throws CommandError if the watch is rejected */
export async function watchItems(
  environment: Environment,
  pet: string | undefined,
  {
    limit = Number.POSITIVE_INFINITY,
    sku,
    ...options
  }: SelectionOptions & SkuOption & { readonly limit?: number },
): Promise<void> {
  const requestOf = requestOfPetOrAll(pet, { sku });
  const fields = selectionFields(options);
  const isSelective = Object.keys(fields).length > 0;
  const { format = "table", stdout } = environment;
  if (format === "csv") {
    throw usageError("--output: must be table, json or ndjson, because a watch has no end");
  }
  const screen = format === "table" ? openScreen(stdout) : undefined;
  await interruptible((signal) =>
    withSession(environment, async (session) => {
      const { petId } = await requestOf(session);
      const selection = { ...fields, petIds: petId === undefined ? [] : [petId] };
      const stop = new AbortController();
      const either = AbortSignal.any([signal, stop.signal]);
      const earlier: Earlier = (pageSize) =>
        newestChanges(session, { petId, pageSize, pageToken: "" });
      const view = screen
        ? screenView(screen, session, isSelective ? undefined : earlier)
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
function screenView(screen: Screen, session: Session, earlier: Earlier | undefined): View {
  /** The last change of each pet, the newest last. */
  const last = new Map<bigint, InventoryChange>();
  /** Entries of pets. An entry that could not be read is undefined. */
  const entries = new Map<bigint, CatalogEntry | undefined>();
  let isClosed = false;
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
    const lines = table(columnsOf(entries), [...last.values()].toReversed()).lines(
      screen.columns(),
    );
    screen.draw([`Inventory: ${state}. Ctrl-C ends.`, "", ...lines]);
    void readNames();
  }

  /** Reads the names of pets that have none yet, then draws them. They are left out if they cannot be read. */
  async function readNames(): Promise<void> {
    const unread = [...last.keys()].filter((petId) => !entries.has(petId));
    if (unread.length === 0) return;
    for (const petId of unread) entries.set(petId, undefined);
    const read = await entriesOf(session, unread).catch(() => undefined);
    for (const petId of unread) entries.set(petId, read?.get(petId));
    if (!isClosed) timer ??= setTimeout(draw, redrawMs);
  }

  return {
    async show(event) {
      if (event.kind === "change") add(event.change);
      else state = event.kind === "lost" ? `${event.why}, retrying` : "live";
      if (event.kind === "connected" && earlier && !isListed) await list(earlier);
      timer ??= setTimeout(draw, redrawMs);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      draw();
      screen.close();
    },
  };
}

const columnsOf = (entries: Entries): readonly Column<InventoryChange>[] => [
  { title: "PET ID", of: ({ petId }) => petId, isNumber: true },
  nameColumn(entries, ({ petId }) => petId),
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
