import { Code } from "@connectrpc/connect";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { faultOf } from "../../shared/call-fault.ts";
import { Dialog } from "../../shared/dialog.tsx";
import { JobButtons, JobProgressBar } from "../../shared/job-progress.tsx";
import { showToast } from "../../shared/toasts.tsx";
import { useJob } from "../../shared/use-job.ts";
import { countText } from "../../text/number-text.ts";
import type { Item } from "../item.ts";
import { offerUndo } from "../undo.ts";
import { FaultList } from "./fault-list.tsx";
import { petsText } from "./pets-text.ts";

/** The pet itself prevents the change. The others are changed all the same. */
const refusals: ReadonlySet<Code> = new Set([Code.NotFound, Code.FailedPrecondition]);

/** A dialog that changes each pet with a call of its own. */
export function EachPetDialog(props: {
  readonly title: string;
  readonly pets: readonly Item[];
  readonly submit: string;
  readonly isDangerous?: boolean;
  /** What a changed pet is, such as `removed`. */
  readonly changed: string;
  /** Changes a pet. It can be called again after a lost response. */
  readonly change: (petId: bigint) => Promise<unknown>;
  /** Changes all pets back. Without it, there is no undo. */
  readonly undo?: () => Promise<string>;
  readonly onClose: () => void;
  /** The fields. They are shown until the first call. */
  readonly children: ComponentChildren;
}) {
  const { title, pets, submit, isDangerous, changed, change, undo, onClose, children } = props;
  const refused = useRef<readonly string[]>([]);
  const resultText = (done: number) =>
    `${countText(done - refused.current.length, "pet is", "pets are")} ${changed}.`;
  const step = async (done: number) => {
    try {
      await change(pets[done]?.petId ?? 0n);
    } catch (error) {
      const { code, message } = faultOf(error);
      if (!refusals.has(code)) throw error;
      refused.current = [...refused.current, message];
    }
    return 1;
  };
  const job = useJob({ total: pets.length, step }, (done, isShown) => {
    const isAll = done === pets.length && refused.current.length === 0;
    if (isAll && undo) offerUndo(resultText(done), undo);
    else if (isAll || !isShown) showToast(resultText(done));
    if (isAll) onClose();
  });
  const close = job.state === "running" ? job.stop : onClose;
  return (
    <Dialog title={title} onClose={close}>
      {job.state === "new" ? (
        <>
          <p>This changes {petsText(pets.map(({ petId }) => petId))}.</p>
          {children}
        </>
      ) : (
        <p role="status">{resultText(job.done)}</p>
      )}
      <JobProgressBar job={job} />
      {refused.current.length > 0 && <FaultList title="Not changed:" faults={refused.current} />}
      <JobButtons job={job} begin={submit} isDangerous={isDangerous} onClose={close} />
    </Dialog>
  );
}
