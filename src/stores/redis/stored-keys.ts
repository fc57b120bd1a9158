import { storeUnavailable } from "../errors.ts";
import type { Connection } from "./connection/connection.ts";

/** How many keys Redis looks at for a page. It takes Redis less than a millisecond. */
const keysAtOnce = 500;

/** Reads the names of all keys, page by page; one that exists throughout at least once. @throws ConnectError unavailable */
export async function* storedKeys(connection: Connection): AsyncGenerator<string[]> {
  for (const { redis } of connection.nodes()) {
    let cursor = "0";
    do {
      const page = redis.scan(cursor, "MATCH", "inv:*", "COUNT", keysAtOnce);
      const [next, keys] = await page.catch((error: unknown) => {
        throw storeUnavailable(error);
      });
      cursor = next;
      yield keys;
    } while (cursor !== "0");
  }
}
