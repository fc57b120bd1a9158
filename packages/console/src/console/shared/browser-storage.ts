/** Browsers that block the data of sites throw when a page only names a storage. The page works without it, too. */
type Storages = Pick<typeof globalThis, "localStorage" | "sessionStorage">;

/** Returns a stored value; undefined if there is none, or if the browser blocks its storage. */
export function storedValue(kind: keyof Storages, name: string): string | undefined {
  try {
    return globalThis[kind].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value, or removes it if it is undefined. Does nothing if the browser blocks its storage. */
export function storeValue(kind: keyof Storages, name: string, value: string | undefined): void {
  try {
    if (value === undefined) globalThis[kind].removeItem(name);
    else globalThis[kind].setItem(name, value);
  } catch {
    // The value lasts as long as the page.
  }
}
