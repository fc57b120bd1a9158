/** The rows of a list that are near the visible part. */
export interface RowWindow {
  /** Index of the first row. */
  readonly first: number;
  /** Index after the last row. */
  readonly end: number;
}

/** Height of a row, in pixels. */
export const rowHeight = 45;

/** Rows that are rendered above and below the visible ones. They have the next row ready when the focus moves. */
const margin = 8;

/** Returns the rows to render. @param extraHeight the height of an open editor, which only makes the window larger */
export function rowWindow(
  count: number,
  scrollTop: number,
  viewHeight: number,
  extraHeight: number,
): RowWindow {
  const top = Math.max(0, scrollTop - extraHeight);
  const first = Math.min(count, Math.max(0, Math.floor(top / rowHeight) - margin));
  const visible = Math.ceil((viewHeight + extraHeight) / rowHeight);
  return { first, end: Math.min(count, first + visible + 2 * margin) };
}

/** Returns the distance of a row from the top, in pixels. @param open the index of the row with the open editor */
export function rowTop(index: number, open: number, extraHeight: number): number {
  return index * rowHeight + (open >= 0 && index > open ? extraHeight : 0);
}
