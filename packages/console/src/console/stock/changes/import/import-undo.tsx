import { useEffect, useRef, useState } from "preact/hooks";
import { readNames } from "../../../pets/use-names.ts";
import { catalog, importPets } from "../../../shared/api.ts";
import { faultOf } from "../../../shared/call-fault.ts";
import { Dialog } from "../../../shared/dialog.tsx";
import { JobButtons, JobProgressBar } from "../../../shared/job-progress.tsx";
import { randomId } from "../../../shared/random-id.ts";
import { useJob } from "../../../shared/use-job.ts";
import { countText } from "../../../text/number-text.ts";
import { isSame, type KnownPet, type PreviewRow } from "./check-file.ts";
import { readKnownPets } from "./known-pets.ts";
import { batchSize } from "./use-import.ts";

/**
 * Makes an import back, from its end: sets pets as they were, and removes new ones first, so that SKUs are free again. Pets
 * that have changed since are left.
 */
export function ImportUndo({ rows, onClose }: { rows: readonly PreviewRow[]; onClose(): void }) {
  const counts = useRef({ back: 0, left: 0 });
  const id = useRef(randomId());
  const [{ backwards, size }] = useState(() => ({
    backwards: rows.toReversed(),
    size: batchSize(rows),
  }));
  const now = useRef<ReadonlyMap<bigint, KnownPet>>(undefined);

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
    now.current ??= await readKnownPets();
    const pets = now.current;
    const batch = backwards.slice(done, done + size);
    const unchanged = batch.filter(({ item }) => isSame(item, pets.get(item.petId)));
    let removed = 0;
    for (const { item, before } of unchanged) {
      if (!before && (await remove(item.petId))) removed += 1;
    }
    const restored = unchanged.flatMap(({ item, before }) => {
      if (!before) return [];
      const { petId, quantity, status, name, sku } = before;
      return [
        {
          ...{ petId, quantity, status },
          ...(item.name !== undefined && { name }),
          ...(item.sku !== undefined && { sku }),
        },
      ];
    });
    if (restored.length > 0) {
      await importPets({ pets: restored, idempotencyKey: `${id.current}-${done}` });
    }
    counts.current.back += restored.length + removed;
    counts.current.left += batch.length - restored.length - removed;
    return batch.length;
  };
  const job = useJob({ total: rows.length, step }, () => void readNames().catch(() => {}));
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
