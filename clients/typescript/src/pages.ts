interface Page {
  readonly nextPageToken: string;
}

/** Yields the items of all pages. Reads a page when its first item is needed. */
export async function* allPages<P extends Page, T>(
  read: (pageToken: string) => Promise<P>,
  itemsOf: (page: P) => readonly T[],
): AsyncGenerator<T, void, undefined> {
  let pageToken = "";
  do {
    const page = await read(pageToken);
    yield* itemsOf(page);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
}
