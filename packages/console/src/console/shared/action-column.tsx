import type { Column } from "./table.tsx";

/** A button of a row. */
interface RowAction {
  /** The text of the button, such as `Unban`. */
  readonly name: string;
  /** What the button is for, which only screen readers say, such as `key till-3`. */
  readonly target: string;
  /** Without it, the button is disabled. */
  readonly run: (() => void) | undefined;
}

/** Returns the column of the buttons of each row. */
export function actionColumn<Row>(actionsOf: (row: Row) => readonly RowAction[]): Column<Row> {
  return {
    title: "Actions",
    cell: (row) => (
      <div class="row-actions">
        {actionsOf(row).map(({ name, target, run }) => (
          <button
            type="button"
            key={name}
            disabled={!run}
            aria-label={`${name} ${target}`}
            onClick={run}
          >
            {name}
          </button>
        ))}
      </div>
    ),
  };
}
