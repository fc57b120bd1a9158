import { ChangeReason, ChangeReasonSchema } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { dayMs } from "../../../../../src/common/durations.ts";
import { type Names, petFilter } from "../pets/names.ts";
import { reasonWord } from "../stock/reasons.ts";
import { timeOf } from "../stock/use-history.ts";
import { type ChangeRow, isNewStatus } from "./change-list.tsx";

/** The reason of the filter for changes of the status, which have no reason of their own. */
const newStatus = "status";

/** The reasons of the filter, with their words. */
export const reasonOptions: readonly (readonly [value: string, text: string])[] = [
  ["", "every reason"],
  ...ChangeReasonSchema.values
    .filter(({ number }) => number !== ChangeReason.UNSPECIFIED)
    .map(({ number }) => [String(number), reasonWord(number as ChangeReason)] as const),
  [newStatus, "a new status"],
];

/** Returns the time of the first change that a filter wants, in milliseconds since the epoch. */
export function firstMs(query: URLSearchParams): number {
  return dayStartMs(query.get("from")) ?? Number.NEGATIVE_INFINITY;
}

/** Returns a function that says whether a filter wants a change. @param names those of the pets, which the filter can have */
export function filterOf(query: URLSearchParams, names: Names): (row: ChangeRow) => boolean {
  const [reason, pet, who] = ["reason", "pet", "who"].map((name) => query.get(name) ?? "");
  const isPet = petFilter(names, pet?.trim() ?? "");
  const first = firstMs(query);
  const lastDay = dayStartMs(query.get("to"));
  // A day can have 25 hours.
  const end = lastDay === undefined ? Infinity : new Date(lastDay + 1.5 * dayMs).setHours(0, 0, 0);
  return (row) => {
    const { change } = row;
    const ms = timeOf(change);
    return (
      (reason === "" ||
        (reason === newStatus ? isNewStatus(row) : String(change.reason) === reason)) &&
      (pet === "" || isPet(change.petId)) &&
      (who === "" || change.accountId === who || change.keyId === who) &&
      ms >= first &&
      ms < end
    );
  };
}

/** Reads the value of an input of the type `date`, in the zone of the reader. */
function dayStartMs(day: string | null): number | undefined {
  const ms = day ? new Date(`${day}T00:00`).getTime() : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
