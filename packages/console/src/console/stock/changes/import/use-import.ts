import { useMemo, useRef, useState } from "preact/hooks";
import { readNames } from "../../../pets/use-names.ts";
import { importPets } from "../../../shared/api.ts";
import { faultOf } from "../../../shared/call-fault.ts";
import { randomId } from "../../../shared/random-id.ts";
import { showToast } from "../../../shared/toasts.tsx";
import { type Job, useJob } from "../../../shared/use-job.ts";
import { countText, numberText } from "../../../text/number-text.ts";
import type { GoodRow, PreviewRow } from "./check-file.ts";

/** An import of rows, batch by batch. */
interface Import {
  /** It has no fault while `refused` says why it has stopped. */
  readonly job: Job;
  /** What the import has done, such as `500 of 900 rows are imported. 2 new, 498 existing.` */
  readonly resultText: string;
  /** Why the service has refused the rows that have stopped the import, a text for each. */
  readonly refused: readonly string[];
  /** Why the service has refused the rows that are left out. */
  readonly leftOut: readonly string[];
  /** Whether the rows that the service refuses are left out. Otherwise they stop the import. */
  readonly isLeavingOut: boolean;
  toggleLeavingOut(): void;
  /** Returns the rows that are imported, with the pets as they were. */
  importedRows(): readonly PreviewRow[];
}

/** Returns the most items of a message, by the contract. With names, 500 items could be more than the most bytes. */
export function batchSize(rows: readonly GoodRow[]): number {
  return rows.some(({ item }) => item.name !== undefined) ? 250 : 500;
}

/** Keeps the state of an import. */
export function useImport(rows: readonly PreviewRow[]): Import {
  const [isLeavingOut, setLeavingOut] = useState(false);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const { current: leftOut } = useRef(new Map<number, string>());
  const { current: counts } = useRef({ rows: 0, created: 0, updated: 0 });
  const importId = useRef(randomId());
  const size = useMemo(() => batchSize(rows), [rows]);

  /** Imports a batch. Leaves out the rows that the service refuses if the user says so, and throws its error otherwise. */
  const importBatch = async (done: number, batch: readonly GoodRow[]) => {
    const sent = batch.filter(({ line }) => !leftOut.has(line));
    if (sent.length === 0) return;
    // The same rows have the same key, so they take effect once.
    const idempotencyKey = `import-${importId.current}-${done}-${sent.length}`;
    try {
      const pets = sent.map(({ item }) => item);
      const { created, updated } = await importPets({ pets, idempotencyKey });
      counts.rows += sent.length;
      counts.created += Number(created);
      counts.updated += Number(updated);
    } catch (error) {
      const found = refusedRows(faultOf(error).fields, sent);
      if (found.length === 0 || !isLeavingOut) {
        setRefused(found.map(([, text]) => text));
        throw error;
      }
      for (const [line, text] of found) leftOut.set(line, text);
      await importBatch(done, batch);
    }
  };
  const step = async (done: number) => {
    const batch = rows.slice(done, done + size);
    await importBatch(done, batch);
    return batch.length;
  };
  const importedText = () =>
    `${numberText(counts.rows)} of ${countText(rows.length, "row is", "rows are")} imported.`;
  const job = useJob({ total: rows.length, step }, (_done, isShown) => {
    // Otherwise, the next poll reads them.
    void readNames().catch(() => {});
    if (!isShown) showToast(`The import has stopped. ${importedText()}`);
  });
  const run = () => {
    setRefused([]);
    job.run();
  };
  return {
    job: { ...job, run, ...(refused.length > 0 && { fault: undefined }) },
    resultText: `${importedText()} ${numberText(counts.created)} new, ${numberText(counts.updated)} existing.`,
    refused,
    leftOut: [...leftOut.values()],
    isLeavingOut,
    toggleLeavingOut: () => setLeavingOut(!isLeavingOut),
    importedRows: () => rows.slice(0, job.done).filter(({ line }) => !leftOut.has(line)),
  };
}

/**
 * Finds the rows that a refused message names. Returns their lines, each with a text such as
 * `Line 1201: quantity: pet 1200 has 5 held units, …`.
 *
 * @param fields what is wrong, by the field's name in the proto, such as `pets[3].quantity`
 * @param sent the rows of the message
 */
function refusedRows(
  fields: Readonly<Record<string, string>>,
  sent: readonly GoodRow[],
): readonly (readonly [line: number, text: string])[] {
  return Object.entries(fields).flatMap(([field, description]) => {
    const [, index, name] = /^pets\[(\d+)\]\.(\w+)$/.exec(field) ?? [];
    const row = index === undefined ? undefined : sent[Number(index)];
    return row ? [[row.line, `Line ${row.line}: ${name}: ${description}`] as const] : [];
  });
}
