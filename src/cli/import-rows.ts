import type { InventoryItem } from "../../gen/inventory/v1/inventory_pb.ts";
import { CommandError } from "./command-error.ts";
import { inTermsOf } from "./field-sources.ts";
import type { Row } from "./rows.ts";
import type { Session } from "./session.ts";

/** As many items as one call takes. */
const batchSize = 1_000;

/** What an import did. */
export interface ImportCounts {
  /** Pets that were new. */
  readonly created: number;
  /** Pets that were there before. */
  readonly updated: number;
  /** Bad rows. */
  readonly skipped: number;
}

/**
 * Imports the good rows, a batch at a time.
 *
 * @param bad how many bad rows are known
 * @throws CommandError that says how much was imported before it
 */
export async function putRows(
  { admin }: Session,
  rows: AsyncIterable<Row>,
  bad: number,
): Promise<ImportCounts> {
  const counts = { created: 0, updated: 0, skipped: 0 };
  let items: InventoryItem[] = [];

  async function put(): Promise<void> {
    try {
      const { created, updated } = await admin.importItems({ items });
      counts.created += created;
      counts.updated += updated;
      items = [];
    } catch (error) {
      throw stopped(inTermsOf({}, error), counts.created + counts.updated);
    }
  }

  for await (const row of rows) {
    if ("item" in row) {
      items.push(row.item);
    } else if (++counts.skipped > bad) {
      const changed = new CommandError("aborted", "The file was changed while it was read.");
      throw stopped(changed, counts.created + counts.updated);
    }
    if (items.length === batchSize) {
      await put();
    }
  }
  if (items.length > 0) {
    await put();
  }
  return counts;
}

function stopped(error: unknown, imported: number): unknown {
  if (!(error instanceof CommandError)) {
    return error;
  }
  return new CommandError(
    error.code,
    `${error.message} The first ${imported} good rows are imported; to finish, import the whole file again: that does no harm.`,
  );
}
