import { useRef, useState } from "preact/hooks";
import { importItems } from "../../../shared/api.ts";
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
import type { CheckedFile, PreviewRow } from "./check-file.ts";

/** Most items of a message, by the contract. */
const batchSize = 500;

/** Shows what an import would change, and makes it. */
export function ImportPreview(props: { name: string; checked: CheckedFile; onClose(): void }) {
  const { name, checked, onClose } = props;
  const { items, badRows, large } = checked;
  const [isSkipping, setSkipping] = useState(false);
  const counts = useRef({ created: 0, updated: 0 });
  // A batch that is sent again has the same key, so it takes effect once.
  const importId = useRef(randomId());
  const step = async (done: number) => {
    const batch = items.slice(done, done + batchSize);
    const idempotencyKey = `import-${importId.current}-${done}`;
    const { created, updated } = await importItems({ items: batch, idempotencyKey });
    counts.current.created += Number(created);
    counts.current.updated += Number(updated);
    return batch.length;
  };
  const job = useJob({ total: items.length, step }, (done, isShown) => {
    if (!isShown) showToast(`The import has stopped. ${importedText(done, items.length)}`);
  });
  const [isAsked, setAsked] = useState(false);
  const begin = () => (job.state === "new" && large.length > 0 ? setAsked(true) : job.run());
  const mayBegin = items.length > 0 && (badRows === 0 || isSkipping);
  const close = job.state === "running" ? job.stop : onClose;
  return (
    <Dialog title={`Import ${name}`} onClose={close}>
      {job.state === "new" ? (
        <>
          <Preview checked={checked} />
          {badRows > 0 && items.length > 0 && (
            <label class="checkbox">
              <input
                type="checkbox"
                checked={isSkipping}
                onChange={({ currentTarget }) => setSkipping(currentTarget.checked)}
              />
              Leave out {countText(badRows, "bad line")}
            </label>
          )}
        </>
      ) : (
        <p role="status">
          {importedText(job.done, items.length)} {numberText(counts.current.created)} new,{" "}
          {numberText(counts.current.updated)} existing.
        </p>
      )}
      <JobProgressBar job={job} />
      <JobButtons
        job={{ ...job, run: begin }}
        {...(mayBegin && { begin: "Import" })}
        onClose={close}
      />
      {isAsked && (
        <LargeEffectsDialog
          effects={large}
          submit="Import"
          onClose={() => setAsked(false)}
          onConfirm={() => {
            setAsked(false);
            job.run();
          }}
        />
      )}
    </Dialog>
  );
}

function importedText(done: number, all: number): string {
  return `${numberText(done)} of ${countText(all, "row is", "rows are")} imported.`;
}

function Preview({ checked }: { checked: CheckedFile }) {
  const { items, faults, badRows, added, changed, first } = checked;
  const more = badRows - faults.length;
  return (
    <>
      <p>
        {countText(items.length, "good row")}: {countText(added, "new pet")}, {numberText(changed)}{" "}
        changed, {numberText(items.length - added - changed)} as they are. An import sets quantity
        and status, whatever they are by then.
      </p>
      {faults.length > 0 && (
        <FaultList
          title={`${countText(badRows, "line is", "lines are")} bad. Correct the file, or leave them out.`}
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
