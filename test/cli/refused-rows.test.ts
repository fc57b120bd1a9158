import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { ImportedPetSchema } from "../../gen/catalog/v1/catalog_pb.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { parseResumePoint } from "../../src/cli/items/import/resume-point.ts";
import { type ImportTarget, sendRows } from "../../src/cli/items/import/send-rows.ts";
import { maxQuantity } from "../../src/stores/inventory-store.ts";
import { unknownOrigin } from "../../src/stores/stock-change.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useDirectory } from "../support/directory.ts";
import { useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";
import { runHere } from "./command-line.ts";

/** Rows of the pets 1 to 1,300. The quantity of a pet is its id, unless another one is given. */
function csvOf(quantities: Readonly<Record<number, number>> = {}): string {
  const rows = Array.from({ length: 1_300 }, (_, at) => {
    return `${at + 1},${quantities[at + 1] ?? at + 1},available\n`;
  });
  return `petId,quantity,status\n${rows.join("")}`;
}

/** More than fits together with held units. */
const tooLarge = { 1200: maxQuantity, 1250: maxQuantity - 2 };

const faultOf = (line: number, petId: number) =>
  `line ${line}: quantity: pet ${petId} has 5 held units, with which it would exceed the largest quantity, 2147483647`;

describe.each(storeKinds)("an import with rows that the service refuses, in $name", (kind) => {
  const server = useServer(kind);
  const directory = useDirectory();
  let apiKey = "";
  let accountId = "";

  beforeEach(async () => {
    accountId = await addAccount(server.stores);
    ({ secret: apiKey } = await addKey(server.stores, accountId, { scopes: ["admin"] }));
    const { catalog, holds } = server.stores;
    const items = [1200n, 1250n].map((petId) => ({ petId, quantity: 5 }));
    await catalog.put(items.map((item) => ({ ...item, status: PetStatus.PENDING })));
    const outcome = await holds.put(
      accountId,
      "cart",
      { items, ttlMs: 60_000 },
      { origin: unknownOrigin },
    );
    expect(outcome.kind).toBe("held");
  });

  async function importing(content: string, ...options: readonly string[]) {
    const path = join(directory, "pets.csv");
    await writeFile(path, content);
    return runHere(["items import", path, "--server", server.url, ...options], { apiKey });
  }

  const quantityOf = async (petId: bigint) => (await server.stores.inventory.get(petId))?.quantity;

  test("names line and pet of each, and how to continue: exit code 6", async () => {
    const { code, stdout, stderr } = await importing(csvOf(tooLarge));
    expect([code, stdout]).toEqual([6, ""]);
    expect(stderr).toContain(`error: ${faultOf(1201, 1200)}; ${faultOf(1251, 1250)}. `);
    expect(stderr).toContain("The first 1000 good rows are imported.");
    expect(await quantityOf(1000n)).toBe(1000);
    expect(await quantityOf(1001n)).toBeUndefined();
  });

  const resumeHint = (stderr: string) => /--resume \S+/.exec(stderr)?.[0].split(" ") ?? [];

  test("the printed --resume continues after the units were released", async () => {
    const { stderr } = await importing(csvOf(tooLarge));
    await server.stores.holds.release(accountId, "cart", { origin: unknownOrigin });
    await server.stores.inventory.change({ petId: 1000n, delta: 7 });
    const { code, stdout } = await importing(csvOf(tooLarge), ...resumeHint(stderr));
    expect([code, stdout]).toEqual([0, "created 298, updated 2, skipped 0\n"]);
    expect(await quantityOf(1200n)).toBe(maxQuantity);
    expect(await quantityOf(1000n)).toBe(1007);
  });

  test("the printed --resume continues with a corrected file", async () => {
    const { stderr } = await importing(csvOf(tooLarge));
    const { code, stdout } = await importing(csvOf(), ...resumeHint(stderr));
    expect([code, stdout]).toEqual([0, "created 298, updated 2, skipped 0\n"]);
    expect(await quantityOf(1250n)).toBe(1250);
  });

  test("--skip-bad prints and skips them, and imports all others: exit code 0", async () => {
    const outcome = await importing(csvOf(tooLarge), "--skip-bad");
    expect(outcome).toEqual({
      code: 0,
      stdout: "created 1298, updated 0, skipped 2\n",
      stderr: `${faultOf(1201, 1200)}\n${faultOf(1251, 1250)}\n`,
    });
    expect([await quantityOf(1200n), await quantityOf(1201n)]).toEqual([0, 1201]);
  });

  test("--skip-bad skips a batch of which all rows are refused", async () => {
    const rows = ["1200,2147483647,sold", "1250,2147483647,sold"].join("\n");
    const { code, stdout } = await importing(`petId,quantity,status\n${rows}\n`, "--skip-bad");
    expect([code, stdout]).toEqual([0, "created 0, updated 0, skipped 2\n"]);
  });

  test("a --resume with other rows than before fails: exit code 6", async () => {
    const resume = ["--resume", "0:abcdefghijkl"];
    expect((await importing(csvOf(), ...resume)).code).toBe(0);
    const { code, stderr } = await importing(csvOf({ 1: 7 }), ...resume);
    expect(code).toBe(6);
    expect(stderr).toMatch(/^error: The rows differ from those of the import in --resume\./);
    expect(await quantityOf(1n)).toBe(1);
  });

  test("a --resume behind the end of the file fails: exit code 2", async () => {
    const { code, stderr } = await importing(csvOf(), "--resume", "1301");
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: --resume: the file has only 1300 good rows, fewer than 1301/);
    expect((await importing(csvOf(), "--resume", "1300")).code).toBe(0);
    expect((await importing(csvOf(), "--resume", "-1")).stderr).toContain("whole number");
  });
});

test("the printed --resume counts refused rows that were skipped", async () => {
  const refusal = {
    desc: BadRequestSchema,
    value: { fieldViolations: [{ field: "pets[0].quantity", description: "is too large" }] },
  };
  /** Refuses the first row, applies a batch without it, and fails at the next batch. */
  const importPets: ImportTarget["catalog"]["importPets"] = async (requests) => {
    let appliedRows = 0;
    const failure = (code: Code, detail?: typeof refusal) =>
      new ConnectError("", code, {}, [
        { desc: ErrorInfoSchema, value: { metadata: { appliedRows: String(appliedRows) } } },
        ...(detail ? [detail] : []),
      ]);
    for await (const { pets = [] } of requests) {
      if (pets[0]?.petId === 1n) throw failure(Code.FailedPrecondition, refusal);
      if (appliedRows > 0) throw failure(Code.Unavailable);
      appliedRows = pets.length;
    }
    throw failure(Code.Unavailable);
  };
  async function* rows() {
    for (let line = 1; line <= 501; line += 1) {
      yield { line, item: create(ImportedPetSchema, { petId: BigInt(line), quantity: 1 }) };
    }
  }
  const start = { rows: 0, importId: "abcdefghijkl" };
  const settings = { bad: 0, start, onRefused: async () => {} };
  await expect(sendRows({ catalog: { importPets } }, rows(), settings)).rejects.toThrow(
    "--resume 500:abcdefghijkl",
  );
});

describe("an import whose response to a batch without refused rows was lost", () => {
  const rowOf = (line: number, quantity = 1) => ({
    line,
    item: create(ImportedPetSchema, { petId: BigInt(line), quantity }),
  });
  const file = [2, 3, 4].map((line) => rowOf(line));

  /** A service that refuses pets, records what it gets, and loses the connection when nothing is refused. */
  function createService() {
    const refusing = new Set<bigint>();
    const sent: (readonly [key: string | undefined, petIds: readonly (bigint | undefined)[]])[] =
      [];
    const importPets: ImportTarget["catalog"]["importPets"] = async (requests) => {
      for await (const { pets = [], idempotencyKey } of requests) {
        const petIds = pets.map(({ petId }) => petId);
        sent.push([idempotencyKey, petIds]);
        const at = petIds.findIndex((petId) => petId !== undefined && refusing.has(petId));
        if (at === -1) continue;
        const fieldViolations = [{ field: `pets[${at}].quantity`, description: "is too large" }];
        const refusal = { desc: BadRequestSchema, value: { fieldViolations } };
        throw new ConnectError("", Code.FailedPrecondition, {}, [refusal]);
      }
      throw new ConnectError("lost", Code.Unavailable);
    };
    return { refusing, sent, catalog: { importPets } };
  }

  /** @returns the point at which to resume */
  async function importing(
    target: ImportTarget,
    rows: readonly ReturnType<typeof rowOf>[],
    point = "0:abcdefghijkl",
  ): Promise<{ point: string; message: string }> {
    async function* each() {
      yield* rows;
    }
    const start = parseResumePoint(point);
    const settings = { bad: 0, start, onRefused: async () => {} };
    const error = await sendRows(target, each(), settings).then(
      () => undefined,
      (error: Error) => error,
    );
    const message = error?.message ?? "";
    return { point: /--resume (\S+)$/.exec(message)?.[1] ?? "", message };
  }

  test("sends the same rows under the same key when it is resumed, though none is refused now", async () => {
    const service = createService();
    service.refusing.add(3n);
    const { point } = await importing(service, file);
    service.refusing.clear();
    expect((await importing(service, file, point)).point).toBe(point);
    const [whole, rest, ...resumed] = service.sent;
    expect([whole?.[1], rest?.[1]]).toEqual([
      [2n, 3n, 4n],
      [2n, 4n],
    ]);
    expect(rest?.[0]).not.toBe(whole?.[0]);
    expect(resumed).toEqual([rest]);
  });

  test("sends other rows under another key when another row of the batch is refused", async () => {
    const service = createService();
    service.refusing.add(3n);
    await importing(service, file);
    service.refusing.clear();
    service.refusing.add(2n);
    await importing(service, file);
    const keyOf = (...petIds: readonly bigint[]) =>
      service.sent.find(([, sent]) => sent.join() === petIds.join())?.[0];
    expect(keyOf(2n, 4n)).toBeDefined();
    expect(keyOf(3n, 4n)).toBeDefined();
    expect(keyOf(2n, 4n)).not.toBe(keyOf(3n, 4n));
  });

  test.each([
    ["corrected", [rowOf(2), rowOf(3, 7), rowOf(4)]],
    ["removed", [rowOf(2), rowOf(4)]],
  ])("is not resumed when the refused row was %s in the file", async (_, changed) => {
    const service = createService();
    service.refusing.add(3n);
    const { point } = await importing(service, file);
    const before = service.sent.length;
    const { message } = await importing(service, changed, point);
    expect(message).toMatch(
      /^The rows differ from those of the import in --resume\..*--resume 0 to/,
    );
    expect(service.sent).toHaveLength(before);
  });

  test("says that rows may have been imported, without their number when it is not known", async () => {
    const service = createService();
    expect((await importing(service, file)).message).toContain(
      " The first rows may have been imported. To import each other row once,",
    );
  });
});
