import { useEffect, useRef } from "preact/hooks";
import { catalog, importPets } from "../../../shared/api.ts";
import { faultOf } from "../../../shared/call-fault.ts";
import { Dialog } from "../../../shared/dialog.tsx";
import { JobButtons, JobProgressBar } from "../../../shared/job-progress.tsx";
import { randomId } from "../../../shared/random-id.ts";
import { useJob } from "../../../shared/use-job.ts";
import { countText } from "../../../text/number-text.ts";
import { liveStock } from "../../live-stock.ts";
import { isSame, type PreviewRow } from "./check-file.ts";

const batchSize = 500;

/** Makes an import back: sets pets as they were, and removes new ones. Pets that have changed since are left. */
export function ImportUndo({ rows, onClose }: { rows: readonly PreviewRow[]; onClose(): void }) {
  const counts = useRef({ back: 0, left: 0 });
  const id = useRef(randomId());
  const now = useRef(new Map(liveStock.get().items.map((item) => [item.petId, item])));

  /** @returns whether the pet is not in the stock any more */
  const remove = async (petId: bigint) => {
    try {
      await catalog.removePet({ petId });
      return true;
    } catch (error) {
      const { reason } = faultOf(error);
      if (reason === "PET_HELD") return false;
      if (reason !== "PET_NOT_FOUND") throw error;
      return true;
    }
  };
  const step = async (done: number) => {
    const batch = rows.slice(done, done + batchSize);
    const unchanged = batch.filter(({ item }) => isSame(item, now.current.get(item.petId)));
    const pets = unchanged.flatMap(({ before }) => {
      if (!before) return [];
      const { petId, quantity, status } = before;
      return [{ petId, quantity, status }];
    });
    if (pets.length > 0) await importPets({ pets, idempotencyKey: `${id.current}-${done}` });
    let removed = 0;
    for (const { item, before } of unchanged) {
      if (!before && (await remove(item.petId))) removed += 1;
    }
    counts.current.back += pets.length + removed;
    counts.current.left += batch.length - pets.length - removed;
    return batch.length;
  };
  const job = useJob({ total: rows.length, step }, () => {});
  useEffect(job.run, []);
  const close = job.state === "running" ? job.stop : onClose;
  const { back, left } = counts.current;
  return (
    <Dialog title="Undo the import" onClose={close}>
      <p role="status">
        {countText(back, "pet is", "pets are")} as before.
        {left > 0 && ` ${countText(left, "pet is", "pets are")} left, because of later changes.`}
      </p>
      <JobProgressBar job={job} />
      <JobButtons job={job} onClose={close} />
    </Dialog>
  );
}
