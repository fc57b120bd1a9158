import type { Connection } from "../stores/redis/connection/connection.ts";
import { catalogChangesKey, petNamesKey, skusKey, stockKeys } from "../stores/redis/keys.ts";
import { loadWriteScript } from "../stores/redis/scripts.ts";
import { comparer } from "./check-indexes.ts";
import type { Found } from "./finding.ts";
import { scanned } from "./read-data.ts";

const keys = [...stockKeys, petNamesKey, skusKey];

/** How many entries one command reads. */
const changesAtOnce = 100;

/** Checks, while clients change the catalogue, that names, SKUs and pets agree, and that its changes follow each other. */
export async function checkCatalog(connection: Connection, found: Found): Promise<void> {
  const compare = comparer(found);

  async function check(
    key: string,
    script: string,
    nameOf: (field: string) => string,
    problem: string,
  ): Promise<void> {
    const send = loadWriteScript(connection, script);
    for await (const page of scanned(connection, key, "hash")) {
      const fields = page.map(([field]) => field);
      await compare((mode, some) => send(keys, [mode, ...some]), fields, nameOf, problem);
    }
  }

  const unlisted = "has names, but does not exist, or is not in the index of SKUs";
  await check(petNamesKey, "check-names-of-pets", (pet) => `pet ${pet}`, unlisted);
  const foreign = "belongs to a pet that does not have it";
  await check(skusKey, "check-skus", (sku) => `the SKU ${sku}`, foreign);
  await checkChanges(connection, found);
}

/** Checks that each change follows the one before, and can be read. */
async function checkChanges(connection: Connection, found: Found): Promise<void> {
  let from = "-";
  let last: string | undefined;
  for (;;) {
    const entries = await connection.run(catalogChangesKey, (redis) =>
      redis.xrange(catalogChangesKey, from, "+", "COUNT", changesAtOnce),
    );
    for (const [id, [, before, , pets = "?"]] of entries) {
      const [version] = id.split("-");
      const follows = last === undefined || before === last;
      if (!follows || !/^(?:(?: [1-9]\d{0,18})+ )?$/.test(pets)) {
        // Without it, every process reads the catalogue again.
        await found(`change ${version} of the catalogue does not follow the one before`, () =>
          connection.change(catalogChangesKey, (redis) =>
            redis.xtrim(catalogChangesKey, "MINID", `${version}-1`),
          ),
        );
      }
      last = version;
    }
    const [end] = entries.at(-1) ?? [];
    if (end === undefined || entries.length < changesAtOnce) return;
    from = `(${end}`;
  }
}
