/** One page of a list, as the service returns it. */
export interface Page<T> {
  readonly rows: readonly T[];
  /** The token of the next page. Empty on the last page. */
  readonly nextPageToken: string;
}

/** Pages to read for one press of a button, when a filter leaves them empty. */
const mostPages = 20;

/**
 * Reads pages until there are `wanted` rows, because a filtered page can be short or empty and still not be the last.
 *
 * @returns the rows, and the token with which to go on. Few or no rows with a token mean that many pages matched
 *   nothing.
 */
export async function readPages<T>(
  read: (pageToken: string) => Promise<Page<T>>,
  firstToken: string,
  wanted: number,
): Promise<Page<T>> {
  const rows: T[] = [];
  let token = firstToken;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await read(token);
    for (const row of page.rows) rows.push(row);
    token = page.nextPageToken;
    if (token === "" || rows.length >= wanted) break;
  }
  return { rows, nextPageToken: token };
}
