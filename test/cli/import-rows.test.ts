import { create } from "@bufbuild/protobuf";
import { describe, expect, test, vi } from "vitest";
import { ImportedPetSchema } from "../../gen/catalog/v1/catalog_pb.ts";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { Row } from "../../src/cli/items/import/import-file.ts";
import { parseResumePoint } from "../../src/cli/items/import/resume-point.ts";
import { sendRows } from "../../src/cli/items/import/send-rows.ts";
import { sessionOn } from "../../src/cli/session/session.ts";
import { storeUnavailable } from "../../src/stores/errors.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";

async function* goodRows(count: number): AsyncGenerator<Row> {
  for (let line = 1; line <= count; line++) {
    const petId = BigInt(line);
    yield {
      line,
      item: create(ImportedPetSchema, { petId, quantity: 1, status: PetStatus.SOLD }),
    };
  }
}

/** Opens a session on stores in memory. @param before is called with the rows of each message that it imports */
function sessionWith(before: (rows: readonly unknown[]) => void) {
  const stores = createMemoryStores();
  const put: typeof stores.catalog.put = async (items) => {
    before(items);
    return stores.catalog.put(items);
  };
  return sessionOn({ ...stores, catalog: { ...stores.catalog, put } });
}

const noResponse = () => storeUnavailable(new Error("no response"));

describe("sendRows", () => {
  const counts = { created: 2_500, updated: 0, skipped: 0 };

  test("imports 500 rows per message", async () => {
    const sizes: number[] = [];
    const session = sessionWith((rows) => sizes.push(rows.length));
    expect(await sendRows(session, goodRows(2_500), { bad: 0 })).toEqual(counts);
    expect(sizes).toEqual([500, 500, 500, 500, 500]);
  });

  test("sends a message again if the store was unavailable once", async () => {
    let calls = 0;
    const session = sessionWith(() => {
      if (++calls === 2) throw noResponse();
    });
    expect(await sendRows(session, goodRows(2_500), { bad: 0 })).toEqual(counts);
    expect(calls).toBe(6);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s: exit code %i, and --resume imports the other rows", async (signal, exitCode) => {
    const controller = new AbortController();
    let calls = 0;
    const session = sessionWith(() => {
      if (++calls === 3) controller.abort(signal);
    });
    const importing = sendRows(session, goodRows(20_000), { bad: 0, signal: controller.signal });
    const error = await importing.catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "canceled", exitCode });
    const [, created, first, point = ""] =
      /^Interrupted: created (\d+), updated 0\. The first (\d+) good .* --resume (\S+)$/.exec(
        error.message,
      ) ?? [];
    expect([created, parseResumePoint(point)?.rows]).toEqual([first, Number(first)]);
    const start = parseResumePoint(point);
    expect(await sendRows(session, goodRows(20_000), { bad: 0, start })).toEqual({
      ...counts,
      created: 20_000 - Number(created),
    });
    expect(calls).toBe(40);
  });

  test("stops waiting for a response 5 s after an interruption", async () => {
    vi.useFakeTimers();
    try {
      const controller = new AbortController();
      const importPets = () => new Promise<never>(() => {});
      const importing = sendRows({ catalog: { importPets } }, goodRows(10), {
        bad: 0,
        start: { rows: 2, importId: "AAAAAAAAAAAA" },
        signal: controller.signal,
      });
      const outcome = expect(importing).rejects.toMatchObject({
        code: "canceled",
        exitCode: 143,
        message: expect.stringMatching(/ --resume 2:AAAAAAAAAAAA$/),
      });
      await vi.advanceTimersByTimeAsync(1);
      controller.abort("SIGTERM");
      await vi.advanceTimersByTimeAsync(5_000);
      await outcome;
    } finally {
      vi.useRealTimers();
    }
  });

  test("fails if a row has become bad since the check", async () => {
    async function* rows(): AsyncGenerator<Row> {
      yield* goodRows(1_000);
      yield { line: 1_001, fault: "is new" };
    }
    const session = sessionOn(createMemoryStores());
    await expect(sendRows(session, rows(), { bad: 0 })).rejects.toMatchObject({
      code: "aborted",
      message: expect.stringContaining("The first 1000 good rows are imported"),
    });
  });
});
