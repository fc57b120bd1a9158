import type { ComponentChildren } from "preact";

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  /** Texts can have several lines. Other cells have one line, so that ids, times and names stay whole. */
  readonly isText?: boolean;
}

/** A table of few rows. If it is wider than the page, it scrolls in its frame. */
export function Table<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey(row: Row): string;
  /** Shown instead of the table when there are no rows. */
  empty: string;
  /** Whether each row is a card on a phone. */
  isCards?: boolean;
}) {
  const { caption, columns, rows, rowKey, empty, isCards } = props;
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the frame.
    <section class="table-frame" aria-label={caption} tabIndex={0}>
      <table class={isCards ? "table table-cards" : "table"}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? "number" : ""}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ title, cell, isNumber, isText }) => (
                <td
                  key={title}
                  data-title={title}
                  class={isNumber ? "number" : isText ? "text" : ""}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
