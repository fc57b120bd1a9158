import { ConnectError } from "@connectrpc/connect";
import type { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import type { InventoryItem } from "../../gen/inventory/v1/inventory_pb.ts";
import type { LocalClient } from "../call/local-client.ts";
import { CommandError } from "./command-error.ts";
import { inTermsOf } from "./field-sources.ts";
import type { Row } from "./rows.ts";

/** As many items as one message takes. */
const batchSize = 1_000;

/** Messages of one call: it ends before a server takes it for one that does not end. */
const batchesOfCall = 50;

/** What an import did. */
export interface ImportCounts {
  /** Pets that were new. */
  readonly created: number;
  /** Pets that were there before. */
  readonly updated: number;
  /** Bad rows. */
  readonly skipped: number;
}

/** Where an import goes: the service within the process, or one on the network. */
export interface ImportTarget {
  readonly admin: Pick<LocalClient<typeof AdminService>, "importInventory">;
}

/**
 * Imports the good rows, a batch at a time.
 *
 * @param bad how many bad rows are known
 * @param resume how many good rows are left out at the beginning: they are imported already
 * @throws CommandError that says how much was imported before it
 */
export async function putRows(
  { admin }: ImportTarget,
  rows: AsyncIterable<Row>,
  bad: number,
  resume = 0,
): Promise<ImportCounts> {
  const counts = { created: 0, updated: 0 };
  const reading: Reading = { skipped: 0, fault: undefined };
  let imported = resume;
  const batches = batchesOf(rows, bad, resume, reading);

  /** What one call sends: it ends with the file, or after a number of messages. */
  async function* requests(first: InventoryItem[]) {
    yield { items: first };
    for (let sent = 1; sent < batchesOfCall; sent++) {
      const next = await batches.next();
      if (next.done) return;
      yield { items: next.value };
    }
  }

  for (let next = await batches.next(); !next.done; next = await batches.next()) {
    try {
      const answer = await admin.importInventory(requests(next.value));
      imported += Number(answer.rows);
      counts.created += Number(answer.created);
      counts.updated += Number(answer.updated);
    } catch (error) {
      throw stopped(inTermsOf({}, error), imported + rowsBefore(error));
    }
  }
  if (reading.fault !== undefined) throw stopped(reading.fault, imported);
  return { ...counts, skipped: reading.skipped };
}

/** How far the reading of a file has come. */
interface Reading {
  skipped: number;
  /** What ended it early: the rows before it are imported all the same. */
  fault: unknown;
}

async function* batchesOf(
  rows: AsyncIterable<Row>,
  bad: number,
  resume: number,
  reading: Reading,
): AsyncGenerator<InventoryItem[]> {
  let items: InventoryItem[] = [];
  let left = resume;
  try {
    for await (const row of rows) {
      if ("fault" in row) {
        reading.skipped += 1;
        if (reading.skipped > bad) {
          throw new CommandError("aborted", "The file was changed while it was read.");
        }
      } else if (left > 0) left -= 1;
      else items.push(row.item);
      if (items.length === batchSize) {
        yield items;
        items = [];
      }
    }
    if (items.length > 0) yield items;
  } catch (error) {
    reading.fault = error;
  }
}

/** How many rows a call has imported before it failed, as far as its error tells. */
function rowsBefore(error: unknown): number {
  if (!(error instanceof ConnectError)) return 0;
  const [info] = error.findDetails(ErrorInfoSchema);
  return Number(info?.metadata.appliedRows ?? 0);
}

function stopped(error: unknown, imported: number): unknown {
  if (!(error instanceof CommandError)) {
    return error;
  }
  return new CommandError(
    error.code,
    `${error.message} The first ${imported} good rows are imported; to finish, import the rest with --resume ${imported}, or the whole file again: that does no harm.`,
  );
}
