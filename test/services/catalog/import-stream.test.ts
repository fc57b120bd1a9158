import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ImportPetsRequestSchema } from "../../../gen/catalog/v1/catalog_pb.ts";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { importStream } from "../../../src/services/catalog/import-stream.ts";
import type { CatalogStore } from "../../../src/stores/catalog-store.ts";
import { storeUnavailable } from "../../../src/stores/errors.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import { unknownOrigin } from "../../../src/stores/stock-change.ts";

test.each(["", "of the client"])(
  'applies each message once, although the replies to its first two attempts are lost, with the idempotency key "%s"',
  async (idempotencyKey) => {
    const { catalog, inventory } = createMemoryStores();
    let lost = 2;
    const store: CatalogStore = {
      ...catalog,
      async put(...args) {
        const outcome = await catalog.put(...args);
        if (lost === 0) return outcome;
        lost -= 1;
        // Somebody sells one before the import tries again.
        await inventory.change({ petId: 1n, delta: -1 });
        throw storeUnavailable(new Error("no reply"));
      },
    };
    async function* requests() {
      const pets = [{ petId: 1n, quantity: 10, status: PetStatus.AVAILABLE }];
      yield create(ImportPetsRequestSchema, { pets, idempotencyKey });
    }
    const how = { origin: unknownOrigin, pay: async () => {} };
    const imported = { rows: 1n, created: 1n, updated: 0n };
    expect(await importStream(store, requests(), how)).toEqual(imported);
    expect(await inventory.get(1n)).toMatchObject({ quantity: 8 });
  },
);
