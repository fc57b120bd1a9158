import { useEffect, useRef } from "preact/hooks";
import { type CallFault, faultOf } from "../../shared/call-fault.ts";
import { Dialog } from "../../shared/dialog.tsx";
import { JobButtons, JobProgressBar } from "../../shared/job-progress.tsx";
import { randomId } from "../../shared/random-id.ts";
import { showToast } from "../../shared/toasts.tsx";
import { useJob } from "../../shared/use-job.ts";
import { countText, numberText } from "../../text/number-text.ts";
import { offerUndo, undoAll } from "../undo.ts";
import { batchRefusal } from "./batch-refusal.ts";
import { FaultList } from "./fault-list.tsx";

/** Most pets of a batch, by the contract. */
export const mostPets = 1_000;

export const changedText = (count: number) =>
  `${countText(count, "quantity is", "quantities are")} changed.`;

/**
 * Sends changes of many pets in parts. Each part changes all of its pets or none, and one that is refused stops the
 * dialog. It begins at once.
 */
export function PartsDialog<Row extends { readonly petId: bigint }>(props: {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Sends a part. @returns a function that changes the part back */
  readonly send: (part: readonly Row[], idempotencyKey: string) => Promise<() => Promise<unknown>>;
  /** @param done the number of rows that are changed */
  readonly onClose: (done: number) => void;
}) {
  const { title, rows, send, onClose } = props;
  const { current: undos } = useRef<(() => Promise<unknown>)[]>([]);
  const id = useRef(randomId());
  const doneText = (done: number) =>
    done === rows.length
      ? changedText(done)
      : `${numberText(done)} of ${countText(rows.length, "quantity is", "quantities are")} changed.`;
  const step = async (done: number) => {
    const part = rows.slice(done, done + mostPets);
    try {
      undos.push(await send(part, `${id.current}-${done}`));
    } catch (error) {
      // A refused part has changed nothing. Its next attempt can have other values.
      if (refusalOf(faultOf(error), part)) id.current = randomId();
      throw error;
    }
    return part.length;
  };
  const job = useJob({ total: rows.length, step }, (done, isShown) => {
    if (done > 0 && (done === rows.length || !isShown)) offerUndo(doneText(done), undoAll(undos));
    else if (!isShown) showToast(doneText(done));
    if (done === rows.length) onClose(done);
  });
  useEffect(job.run, []);
  const { state, done, fault } = job;
  const next = rows.slice(done, done + mostPets);
  const refusal = state === "stopped" ? refusalOf(fault, next) : undefined;
  const stop = () => {
    if (done > 0) offerUndo(doneText(done), undoAll(undos));
    onClose(done);
  };
  const close = state === "running" ? job.stop : stop;
  return (
    <Dialog title={title} onClose={close}>
      <p role="status">{doneText(done)}</p>
      <JobProgressBar job={refusal ? { ...job, fault: undefined } : job} />
      {refusal && (
        <FaultList
          title={`The ${countText(next.length, "next pet is", "next pets are")} unchanged, because of:`}
          faults={refusal}
        />
      )}
      <JobButtons job={job} onClose={close} />
    </Dialog>
  );
}

function refusalOf(fault: CallFault | undefined, part: readonly { readonly petId: bigint }[]) {
  return (
    fault &&
    batchRefusal(
      fault.fields,
      part.map(({ petId }) => petId),
    )
  );
}
