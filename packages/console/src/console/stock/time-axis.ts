const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Distances between two labels of a time axis, in seconds. A shorter one than a second would repeat labels. */
export const timeIncrements: number[] = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 4, 6, 8, 12].map((count) => count * hour),
  ...[1, 2, 3, 5, 10, 15, 30, 60, 90, 180, 365, 730, 1825, 3650].map((count) => count * day),
];

/**
 * Returns the labels of a time axis, with 24 hours a day. The first label of a day has the day on a second line.
 *
 * @param starts the times of the labels, in seconds since the epoch
 * @param increment the distance between two labels, in seconds
 * @param timeZone the zone of the labels; that of the reader if undefined
 */
export function timeLabels(
  starts: readonly number[],
  increment: number,
  timeZone?: string,
): string[] {
  const zone = timeZone === undefined ? {} : { timeZone };
  const dayText = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", ...zone });
  const timeText = new Intl.DateTimeFormat("en-GB", {
    timeStyle: increment < minute ? "medium" : "short",
    ...zone,
  });
  let lastDay = "";
  return starts.map((start) => {
    const thisDay = dayText.format(start * 1_000);
    if (increment >= day) return thisDay;
    const isNew = thisDay !== lastDay;
    lastDay = thisDay;
    const time = timeText.format(start * 1_000);
    return isNew ? `${time}\n${thisDay}` : time;
  });
}
