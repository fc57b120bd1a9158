import type { ComponentChildren } from "preact";

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
}

/** A table of few rows. On a phone, each row becomes a card. */
export function Table<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey(row: Row): string;
  /** Shown instead of the table when there are no rows. */
  empty: string;
}) {
  const { caption, columns, rows, rowKey, empty } = props;
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <table class="table">
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
            {columns.map(({ title, cell, isNumber }) => (
              <td key={title} data-title={title} class={isNumber ? "number" : ""}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
