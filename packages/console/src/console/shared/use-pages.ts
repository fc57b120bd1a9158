import { useState } from "preact/hooks";
import { type Page, readPages } from "./page-reader.ts";
import { type Action, useAction } from "./use-action.ts";
import { useInterval } from "./use-interval.ts";
import { type Query, useQuery } from "./use-query.ts";

/** Rows to read at once. */
const rowsAtOnce = 100;

/** A list that is read page by page. */
export interface Pages<T> {
  readonly rows: readonly T[];
  readonly first: Query<Page<T>>;
  /** Reads more rows; undefined when there are no more. */
  readonly more: Action<[]> | undefined;
}

/**
 * Reads the first rows of a list when the component appears, when `dependencies` change, and every `everyMs` milliseconds
 * until more rows are added.
 */
export function usePages<T>(
  read: (pageToken: string, signal?: AbortSignal) => Promise<Page<T>>,
  dependencies: readonly unknown[],
  everyMs?: number,
): Pages<T> {
  const first = useQuery(
    (signal) => readPages((token) => read(token, signal), "", rowsAtOnce),
    dependencies,
  );
  const [added, setAdded] = useState<Page<T> & { readonly after: Page<T> }>();
  // Rows that were added to a first page that has been read again since do not belong to it.
  const current = added && added.after === first.data ? added : undefined;
  useInterval(first.reload, current ? undefined : everyMs);
  const nextPageToken = (current ?? first.data)?.nextPageToken ?? "";
  const more = useAction(async () => {
    const after = first.data;
    if (!after) return;
    const next = await readPages((token) => read(token), nextPageToken, rowsAtOnce);
    setAdded({ ...next, rows: [...(current?.rows ?? []), ...next.rows], after });
  });
  return {
    rows: [...(first.data?.rows ?? []), ...(current?.rows ?? [])],
    first,
    more: nextPageToken === "" ? undefined : more,
  };
}
