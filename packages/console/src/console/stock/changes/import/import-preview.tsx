import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ImportedPet } from "../../../../../../../gen/catalog/v1/catalog_pb.ts";
import { Dialog } from "../../../shared/dialog.tsx";
import { LargeEffectsDialog } from "../../../shared/effects.tsx";
import { JobButtons, JobProgressBar } from "../../../shared/job-progress.tsx";
import { type Column, Table } from "../../../shared/table.tsx";
import { countText, numberText } from "../../../text/number-text.ts";
import { statusWord } from "../../item.ts";
import { FaultList } from "../fault-list.tsx";
import type { CheckedFile, PreviewRow } from "./check-file.ts";
import { ImportUndo } from "./import-undo.tsx";
import { useImport } from "./use-import.ts";

const mostShown = 8;
/** Most rows that are named. */
const mostListed = 100;

/** Shows what an import would change, and makes it. */
export function ImportPreview(props: {
  readonly name: string;
  readonly checked: CheckedFile;
  /** Asks for another file. @param imported the items that were imported from this one */
  readonly chooseAgain: (imported: readonly ImportedPet[]) => void;
  readonly onClose: () => void;
}) {
  const { name, checked, chooseAgain, onClose } = props;
  const { rows, badRows, large } = checked;
  const [isSkipping, setSkipping] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const [undone, setUndone] = useState<readonly PreviewRow[]>();
  const { job, resultText, refused, leftOut, isLeavingOut, toggleLeavingOut, importedRows } =
    useImport(rows);
  const run = () => {
    if (job.state === "new" && large.length > 0 && !isAsked) return setAsked(true);
    setAsked(false);
    job.run();
  };
  if (undone) return <ImportUndo rows={undone} onClose={onClose} />;
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
        <p role="status">{resultText}</p>
      )}
      <JobProgressBar job={job} />
      {leftOut.length > 0 && (
        <FaultList
          title={`${countText(leftOut.length, "row is", "rows are")} left out:`}
          faults={leftOut.slice(0, mostListed)}
        />
      )}
      {job.state === "stopped" && refused.length > 0 && (
        <>
          <FaultList
            title="The service has refused these rows. Continue when they can be imported, or choose the corrected file."
            faults={refused}
          />
          <Choice isChosen={isLeavingOut} onChange={toggleLeavingOut}>
            Leave out all rows that the service refuses
          </Choice>
        </>
      )}
      <JobButtons job={{ ...job, run }} {...(mayBegin && { begin: "Import" })} onClose={close}>
        {(job.state === "stopped" || job.state === "complete") && importedRows().length > 0 && (
          <button type="button" onClick={() => setUndone(importedRows())}>
            Undo the import
          </button>
        )}
        {job.state === "stopped" && (
          <button type="button" onClick={() => chooseAgain(importedRows().map(({ item }) => item))}>
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

function Preview({ checked }: { checked: CheckedFile }) {
  const { rows, imported, faults, badRows, added, changed } = checked;
  const more = badRows - faults.length;
  return (
    <>
      <p>
        {countText(rows.length, "good row")}: {countText(added, "new pet")}, {numberText(changed)}{" "}
        changed, {numberText(rows.length - added - changed)} as they are. An import sets quantity
        and status, and the names and SKUs that the file has, whatever they are by then.
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
        rows={rows.slice(0, mostShown)}
        rowKey={({ line }) => String(line)}
        empty="The file has no good row."
        isCards
      />
    </>
  );
}

const columns: readonly Column<PreviewRow>[] = [
  { title: "Line", cell: ({ line }) => numberText(line), isNumber: true },
  { title: "Pet", cell: ({ item }) => String(item.petId), isNumber: true },
  { title: "Name", cell: ({ item, before }) => textAfter(before?.name, item.name) },
  { title: "SKU", cell: ({ item, before }) => textAfter(before?.sku, item.sku) },
  {
    title: "Quantity",
    cell: ({ item, before }) => fromTo(before?.quantity, item.quantity ?? 0, numberText),
    isNumber: true,
  },
  { title: "Status", cell: ({ item, before }) => fromTo(before?.status, item.status, statusWord) },
];

/** Returns a name after the import, which stays if the row has none. */
function textAfter(before = "", after = before): string {
  return before === after || before === "" ? after : `${before} → ${after}`;
}

function fromTo<T>(before: T | undefined, after: T, textOf: (value: T) => string): string {
  if (before === undefined) return `${textOf(after)} (new)`;
  return before === after ? textOf(after) : `${textOf(before)} → ${textOf(after)}`;
}
