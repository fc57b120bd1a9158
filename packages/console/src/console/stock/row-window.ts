/** The rows of a list that are near the visible part. */
export interface RowWindow {
  /** Index of the first row. */
  readonly first: number;
  /** Index after the last row. */
  readonly end: number;
}

/** Rows that are rendered above and below the visible ones. They have the next row ready when the focus moves. */
const margin = 8;

/** The heights of a list, in pixels. */
interface Heights {
  readonly row: number;
  readonly view: number;
  /** Of an open editor, which only makes the window larger. */
  readonly extra: number;
}

/** Returns the rows to render. */
export function rowWindow(count: number, scrollTop: number, heights: Heights): RowWindow {
  const { row, view, extra } = heights;
  const top = Math.max(0, scrollTop - extra);
  const first = Math.min(count, Math.max(0, Math.floor(top / row) - margin));
  const visible = Math.ceil((view + extra) / row);
  return { first, end: Math.min(count, first + visible + 2 * margin) };
}

/** Returns the distance of a row from the top, in pixels. @param open the index of the row with the open editor */
export function rowTop(index: number, open: number, { row, extra }: Heights): number {
  return index * row + (open >= 0 && index > open ? extra : 0);
}
