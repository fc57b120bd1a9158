import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { InventoryItem } from "../../../../../../../gen/inventory/v1/inventory_pb.ts";
import { importItems } from "../../../shared/api.ts";
import { faultOf } from "../../../shared/call-fault.ts";
import { Dialog } from "../../../shared/dialog.tsx";
import { LargeEffectsDialog } from "../../../shared/effects.tsx";
import { JobButtons, JobProgressBar } from "../../../shared/job-progress.tsx";
import { randomId } from "../../../shared/random-id.ts";
import { type Column, Table } from "../../../shared/table.tsx";
import { showToast } from "../../../shared/toasts.tsx";
import { useJob } from "../../../shared/use-job.ts";
import { countText, numberText } from "../../../text/number-text.ts";
import { statusWord } from "../../item.ts";
import { FaultList } from "../fault-list.tsx";
import type { CheckedFile, GoodRow, PreviewRow } from "./check-file.ts";

/** Most rows that are named. */
const mostListed = 100;
/** Most items of a message, by the contract. */
const batchSize = 500;

/** Shows what an import would change, and makes it. */
export function ImportPreview(props: {
  readonly name: string;
  readonly checked: CheckedFile;
  /** Asks for another file. @param imported the items that were imported from this one */
  readonly chooseAgain: (imported: readonly InventoryItem[]) => void;
  readonly onClose: () => void;
}) {
  const { name, checked, chooseAgain, onClose } = props;
  const { rows, badRows, large } = checked;
  const [isSkipping, setSkipping] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const [isLeavingOut, setLeavingOut] = useState(false);
  /** The rows that have stopped the import. */
  const [refused, setRefused] = useState<readonly RefusedRow[]>([]);
  const leftOut = useRef(new Map<number, string>());
  const counts = useRef({ rows: 0, created: 0, updated: 0 });
  const importId = useRef(randomId());

  /** Imports a batch. Leaves out the rows that the service refuses if the user says so, and throws its error otherwise. */
  const importBatch = async (done: number, batch: readonly GoodRow[]) => {
    const sent = batch.filter(({ line }) => !leftOut.current.has(line));
    if (sent.length === 0) return;
    // The same rows have the same key, so they take effect once.
    const idempotencyKey = `import-${importId.current}-${done}-${sent.length}`;
    try {
      const items = sent.map(({ item }) => item);
      const { created, updated } = await importItems({ items, idempotencyKey });
      counts.current.rows += sent.length;
      counts.current.created += Number(created);
      counts.current.updated += Number(updated);
    } catch (error) {
      const found = refusedRows(faultOf(error).fields, sent);
      if (found.length === 0 || !isLeavingOut) {
        setRefused(found);
        throw error;
      }
      for (const { line, text } of found) leftOut.current.set(line, text);
      await importBatch(done, batch);
    }
  };
  const step = async (done: number) => {
    const batch = rows.slice(done, done + batchSize);
    await importBatch(done, batch);
    return batch.length;
  };
  const resultText = () => importedText(counts.current.rows, rows.length);
  const job = useJob({ total: rows.length, step }, (_done, isShown) => {
    if (!isShown) showToast(`The import has stopped. ${resultText()}`);
  });
  const run = () => {
    if (job.state === "new" && large.length > 0 && !isAsked) return setAsked(true);
    setAsked(false);
    setRefused([]);
    job.run();
  };
  const mayBegin = rows.length > 0 && (badRows === 0 || isSkipping);
  const close = job.state === "running" ? job.stop : onClose;
  return (
    <Dialog title={`Import ${name}`} onClose={close}>
      {job.state === "new" ? (
        <>
          <Preview checked={checked} />
          {badRows > 0 && rows.length > 0 && (
            <Choice isChosen={isSkipping} onChange={setSkipping}>
              Leave out {countText(badRows, "bad line")}
            </Choice>
          )}
        </>
      ) : (
        <p role="status">
          {resultText()} {numberText(counts.current.created)} new,{" "}
          {numberText(counts.current.updated)} existing.
        </p>
      )}
      <JobProgressBar job={refused.length > 0 ? { ...job, fault: undefined } : job} />
      {leftOut.current.size > 0 && (
        <FaultList
          title={`${countText(leftOut.current.size, "row is", "rows are")} left out:`}
          faults={[...leftOut.current.values()].slice(0, mostListed)}
        />
      )}
      {job.state === "stopped" && refused.length > 0 && (
        <>
          <FaultList
            title="The service has refused these rows. Continue when they can be imported, or choose the corrected file."
            faults={refused.map(({ text }) => text)}
          />
          <Choice isChosen={isLeavingOut} onChange={setLeavingOut}>
            Leave out all rows that the service refuses
          </Choice>
        </>
      )}
      <JobButtons job={{ ...job, run }} {...(mayBegin && { begin: "Import" })} onClose={close}>
        {job.state === "stopped" && (
          <button
            type="button"
            onClick={() =>
              chooseAgain(
                rows
                  .slice(0, job.done)
                  .flatMap(({ line, item }) => (leftOut.current.has(line) ? [] : [item])),
              )
            }
          >
            Choose another file
          </button>
        )}
      </JobButtons>
      {isAsked && (
        <LargeEffectsDialog
          effects={large}
          submit="Import"
          onClose={() => setAsked(false)}
          onConfirm={run}
        />
      )}
    </Dialog>
  );
}

/** A row that the service has refused. */
interface RefusedRow {
  readonly line: number;
  /** Such as `Line 1201: quantity: pet 1200 has 5 held units, …`. */
  readonly text: string;
}

/**
 * Finds the rows that a refused message names.
 *
 * @param fields what is wrong, by the field's name in the proto, such as `items[3].quantity`
 * @param sent the rows of the message
 */
function refusedRows(
  fields: Readonly<Record<string, string>>,
  sent: readonly GoodRow[],
): readonly RefusedRow[] {
  return Object.entries(fields).flatMap(([field, description]) => {
    const [, index, name] = /^items\[(\d+)\]\.(\w+)$/.exec(field) ?? [];
    const row = index === undefined ? undefined : sent[Number(index)];
    return row ? [{ line: row.line, text: `Line ${row.line}: ${name}: ${description}` }] : [];
  });
}

function Choice(props: {
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
  readonly children: ComponentChildren;
}) {
  const { isChosen, onChange, children } = props;
  return (
    <label class="checkbox">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {children}
    </label>
  );
}

function importedText(done: number, all: number): string {
  return `${numberText(done)} of ${countText(all, "row is", "rows are")} imported.`;
}

function Preview({ checked }: { checked: CheckedFile }) {
  const { rows, imported, faults, badRows, added, changed, first } = checked;
  const more = badRows - faults.length;
  return (
    <>
      <p>
        {countText(rows.length, "good row")}: {countText(added, "new pet")}, {numberText(changed)}{" "}
        changed, {numberText(rows.length - added - changed)} as they are. An import sets quantity
        and status, whatever they are by then.
        {imported > 0 && ` ${countText(imported, "other row is", "other rows are")} imported.`}
      </p>
      {faults.length > 0 && (
        <FaultList
          title={`${countText(badRows, "line is", "lines are")} bad. Correct the file, or leave ${badRows === 1 ? "it" : "them"} out.`}
          faults={[
            ...faults.map(({ line, fault }) => `Line ${line}: ${fault}`),
            ...(more > 0 ? [`And ${numberText(more)} more.`] : []),
          ]}
        />
      )}
      <Table
        caption="First rows"
        columns={columns}
        rows={first}
        rowKey={({ line }) => String(line)}
        empty="The file has no good row."
      />
    </>
  );
}

const columns: readonly Column<PreviewRow>[] = [
  { title: "Line", cell: ({ line }) => numberText(line), isNumber: true },
  { title: "Pet", cell: ({ item }) => String(item.petId), isNumber: true },
  {
    title: "Quantity",
    cell: ({ item, before }) => fromTo(before?.quantity, item.quantity ?? 0, numberText),
    isNumber: true,
  },
  { title: "Status", cell: ({ item, before }) => fromTo(before?.status, item.status, statusWord) },
];

function fromTo<T>(before: T | undefined, after: T, textOf: (value: T) => string): string {
  if (before === undefined) return `${textOf(after)} (new)`;
  return before === after ? textOf(after) : `${textOf(before)} → ${textOf(after)}`;
}
