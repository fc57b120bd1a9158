import { describe, expect, test } from "vitest";
import { allPages } from "../../src/cli/session/session.ts";
import { unknownOrigin } from "../../src/stores/stock-change.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { itemsFrom } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import { succeedHere } from "./command-line.ts";

/** More than a call can have arguments. */
const count = 130_000;

describe.each(storeKinds.slice(0, 1))("a long list, stores in $name", (kind) => {
  const server = useServer(kind);

  test("is printed in whole, as a table and as JSON", async () => {
    const items = itemsFrom(1n, count, (at) => at);
    await server.stores.catalog.put(items, unknownOrigin);
    const accountId = await addAccount(server.stores);
    const { secret: apiKey } = await addKey(server.stores, accountId);
    const list = (...words: readonly string[]) =>
      succeedHere(["items list --server", server.url, ...words], { apiKey });
    const lines = (await list()).trimEnd().split("\n");
    expect(lines).toHaveLength(1 + count);
    expect(lines.at(-1)).toMatch(/^130000 +129999 +available$/);
    expect(JSON.parse(await list("--output=json"))).toHaveLength(count);
  }, 120_000);
});

test("a page of any length is read", async () => {
  const page = { nextPageToken: "", elements: new Array<number>(count).fill(7) };
  const read = allPages(
    { limit: undefined },
    async () => page,
    ({ elements }) => elements,
  );
  expect(await read).toHaveLength(count);
});
