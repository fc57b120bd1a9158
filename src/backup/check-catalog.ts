import type { Connection } from "../stores/redis/connection/connection.ts";
import { catalogChangesKey, petNamesKey, skusKey, stockKeys } from "../stores/redis/keys.ts";
import { loadWriteScript } from "../stores/redis/scripts.ts";
import { comparer } from "./check-indexes.ts";
import type { Found } from "./finding.ts";
import { scanned } from "./read-data.ts";

const keys = [...stockKeys, petNamesKey, skusKey];

/** How many entries one command reads. */
const changesAtOnce = 100;

/**
 * Checks the catalogue, while clients change it: that names and SKUs agree, that their pets exist, and that its changes follow
 * each other.
 *
 * @param found called with each disagreement
 */
export async function checkCatalog(connection: Connection, found: Found): Promise<void> {
  const checkNames = loadWriteScript(connection, "check-names-of-pets");
  const checkSkus = loadWriteScript(connection, "check-skus");
  const compare = comparer(found);
  for await (const page of scanned(connection, petNamesKey, "hash")) {
    const pets = page.map(([pet]) => pet);
    const problem = "has names, but does not exist, or is not in the index of SKUs";
    await compare(
      (mode, some) => checkNames(keys, [mode, ...some]),
      pets,
      (pet) => `pet ${pet}`,
      problem,
    );
  }
  for await (const page of scanned(connection, skusKey, "hash")) {
    const skus = page.map(([sku]) => sku);
    const problem = "belongs to a pet that does not have it";
    await compare(
      (mode, some) => checkSkus(keys, [mode, ...some]),
      skus,
      (sku) => `the SKU ${sku}`,
      problem,
    );
  }
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
