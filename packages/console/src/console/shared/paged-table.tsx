import { ErrorBanner, QueryBanner } from "./error-banner.tsx";
import { type Column, Table } from "./table.tsx";
import type { Pages } from "./use-pages.ts";

/** A table of a list that is read page by page, with a button for more rows. */
export function PagedTable<Row>(props: {
  readonly pages: Pages<Row>;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly empty: string;
  readonly isCards?: boolean;
}) {
  const { pages, ...table } = props;
  const { rows, first, more } = pages;
  return (
    <>
      <QueryBanner query={first} />
      <ErrorBanner fault={more?.fault} />
      {first.data ? (
        <Table {...table} rows={rows} />
      ) : (
        first.isLoading && <p class="muted">Loading…</p>
      )}
      {more && (
        <div>
          <button type="button" disabled={more.isPending} onClick={() => void more.run()}>
            Show more
          </button>
        </div>
      )}
    </>
  );
}
