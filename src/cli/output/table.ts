import { columnName, csvCell, csvText } from "./csv-text.ts";
import { printable } from "./printable.ts";
import { shortened, textWidth } from "./text-width.ts";

export interface Column<T> {
  /** The name of the CSV column is the title in camel case. */
  readonly title: string;
  /** Returns the cell of a value; empty if undefined. */
  readonly of: (value: T) => string | number | bigint | undefined;
  /** Whether its values are numbers, which are aligned to the right. */
  readonly isNumber?: true;
  /** Whether it is left out if the table is too wide. Of several, the last one is left out first. */
  readonly isExtra?: true;
  /** The width to which its values can be shortened. They remain whole if absent: ids must. */
  readonly least?: number;
}

export type Table = ReturnType<typeof table>;
export type Details = ReturnType<typeof details>;

export function table<T>(columns: readonly Column<T>[], values: readonly T[]) {
  return {
    hasTitles: true,
    /** Returns lines with aligned columns, two spaces between them. They fit into a width if possible. */
    lines: (width: number) => alignedLines(columns, values, width),
    csv: () =>
      csvText(
        columns.map(({ title }) => columnName(title)),
        values.map((value) => columns.map((column) => csvCell(cellOf(column, value)))),
      ),
  };
}

function cellOf<T>({ of }: Column<T>, value: T): string {
  return String(of(value) ?? "");
}

/** Makes the {@link details} of a value: the cells of all columns. */
export function detailsOf<T>(columns: readonly Column<T>[], value: T): Details {
  const cells = columns.map((column) => [column.title.toLowerCase(), cellOf(column, value)]);
  return details(Object.fromEntries(cells));
}

/** Makes named values. A name is also that of a CSV column, in camel case. */
export function details(properties: Readonly<Record<string, string>>) {
  const names = Object.keys(properties);
  const shown = Object.entries(properties).filter(([, value]) => value !== "");
  const nameWidth = greatest(shown.map(([name]) => name.length));
  return {
    hasTitles: false,
    /** Returns a line for each value that is not empty, with aligned values. */
    lines: () => shown.map(([name, value]) => `${name.padEnd(nameWidth)}  ${printable(value)}`),
    csv: () => csvText(names.map(columnName), [Object.values(properties).map(csvCell)]),
  };
}

interface Cells {
  readonly column: Omit<Column<never>, "of">;
  readonly texts: readonly string[];
  readonly natural: number;
}

function alignedLines<T>(
  columns: readonly Column<T>[],
  values: readonly T[],
  width: number,
): string[] {
  const all = columns.map((column): Cells => {
    const texts = [column.title, ...values.map((value) => printable(cellOf(column, value)))];
    return { column, texts, natural: greatest(texts.map(textWidth)) };
  });
  const shown = columnsThatFit(all, width);
  const most = greatestWidth(shown, width);
  const aligned = shown.map((cells) => {
    const columnWidth = widthWithin(cells, most);
    return cells.texts.map((text) => {
      const cell = shortened(text, columnWidth);
      const space = " ".repeat(columnWidth - textWidth(cell));
      return cells.column.isNumber ? space + cell : cell + space;
    });
  });
  return [...values.keys(), values.length].map((at) =>
    aligned
      .map((cells) => cells[at])
      .join("  ")
      .trimEnd(),
  );
}

/** Leaves out columns until the others fit: first those without values, then the last of the extra ones. */
function columnsThatFit(all: readonly Cells[], width: number): readonly Cells[] {
  if (totalWidth(all, Number.POSITIVE_INFINITY) <= width) return all;
  const isNeeded = ({ column, texts }: Cells) =>
    !(column.isExtra || column.least) || texts.slice(1).some((text) => text !== "");
  let shown = all.filter(isNeeded);
  while (totalWidth(shown, 0) > width) {
    const last = shown.findLast(({ column }) => column.isExtra);
    if (!last) break;
    shown = shown.filter((cells) => cells !== last);
  }
  return shown;
}

/** Returns the greatest width of columns with shortened values with which a table fits. */
function greatestWidth(shown: readonly Cells[], width: number): number {
  let most = greatest(shown.map(({ natural }) => natural));
  while (most > 0 && totalWidth(shown, most) > width) most -= 1;
  return most;
}

function widthWithin({ column: { title, least }, natural }: Cells, most: number): number {
  if (least === undefined) return natural;
  return Math.min(natural, Math.max(least, most, title.length));
}

function totalWidth(shown: readonly Cells[], most: number): number {
  return shown.reduce((sum, cells) => sum + widthWithin(cells, most) + 2, -2);
}

/** Returns the greatest of some numbers from 0; 0 if there are none. */
function greatest(numbers: readonly number[]): number {
  return numbers.reduce((most, each) => Math.max(most, each), 0);
}
