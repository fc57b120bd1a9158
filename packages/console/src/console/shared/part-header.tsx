import type { Query } from "./use-query.ts";

/** The title of a part of a view, with a button that reads the part again. */
export function PartHeader({ title, query }: { title: string; query: Query<unknown> }) {
  return (
    <header class="part-header">
      <h2>{title}</h2>
      <button type="button" disabled={query.isLoading} onClick={query.reload}>
        Update now
      </button>
    </header>
  );
}
