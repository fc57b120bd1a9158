import type { Sort } from "./sort.ts";

const titles = { id: "Pet", status: "Status", quantity: "Available" } as const;

/** The header of a column. Its button sorts the list by the column, and then the other way round. */
export function SortHeader(props: {
  column: Sort["column"];
  sort: Sort | undefined;
  onSort(sort: Sort): void;
}) {
  const { column, sort, onSort } = props;
  const isSorted = sort?.column === column;
  const order = sort?.isDescending ? "descending" : "ascending";
  return (
    <th
      scope="col"
      class={column === "quantity" ? "number" : ""}
      aria-sort={isSorted ? order : "none"}
    >
      <button
        type="button"
        class="sort-button"
        onClick={() => onSort({ column, isDescending: isSorted && order === "ascending" })}
      >
        {titles[column]}
      </button>
    </th>
  );
}
