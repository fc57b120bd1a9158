import { beforeEach, describe, expect, test } from "vitest";
import { unknownOrigin } from "../../src/stores/stock-change.ts";
import { addAccount } from "../support/accounts.ts";
import { useCommands } from "./command-line.ts";

const { inventory, json, succeed, withStores } = useCommands();

const large = "9007199254740993";
const largest = "9223372036854775807";

beforeEach(async () => {
  await withStores(async (stores) => {
    await stores.catalog.put([
      { petId: 1n, quantity: 12, status: 1 },
      { petId: 2n, quantity: 0, status: 3 },
      { petId: BigInt(large), quantity: 4, status: 1 },
    ]);
  });
});

const all = `[{"petId":1,"quantity":12,"status":"available"},{"petId":2,"quantity":0,"status":"sold"},{"petId":${large},"quantity":4,"status":"available"}]\n`;

test("items list prints all pets by ascending id", async () => {
  expect(await succeed("items list")).toBe(
    "          PET ID  NAME  SKU  QUANTITY  STATUS\n" +
      "               1                   12  available\n" +
      "               2                    0  sold\n" +
      `${large}                    4  available\n`,
  );
  expect(await succeed("items list --output=json")).toBe(all);
});

test.each([
  ["--status available", `1 ${large}`],
  ["--max 11", `2 ${large}`],
  ["--limit 2", "1 2"],
  ["--limit 1 --status available --max 5", large],
  ["--min 4 --max 11", large],
  [`${large} 2 404`, `2 ${large}`],
  ["1 2 --status sold --max 0", "2"],
])("items list %s prints those pets", async (options, ids) => {
  const lines = (await succeed(`items list ${options}`)).trimEnd().split("\n").slice(1);
  expect(lines.map((line) => line.trim().split(" ")[0]).join(" ")).toBe(ids);
});

test("items show prints one pet", async () => {
  expect(await succeed("items show 1")).toBe("pet id    1\nquantity  12\nstatus    available\n");
});

/** Commands that change one pet, and the pet that they print. */
test.each([
  [
    `items create ${largest} --quantity 2147483647 --status sold`,
    `{"petId":${largest},"name":"","sku":"","status":"sold"}\n`,
  ],
  ["items set 2 20 --expect 0", '{"petId":2,"quantity":20,"status":"sold"}\n'],
  [
    `items update ${large} --status sold`,
    `{"petId":${large},"name":"","sku":"","status":"sold"}\n`,
  ],
  ["items adjust 1 --by 3", '{"petId":1,"quantity":15,"status":"available"}\n'],
  ["items adjust 1 --by -12", '{"petId":1,"quantity":0,"status":"available"}\n'],
  ["items delete 1", '{"petId":1,"name":"","sku":"","status":"available"}\n'],
])("%s prints the pet with its exact id", async (command, printed) => {
  expect(await succeed(`${command} --output=json`)).toBe(printed);
});

test("items create prints the pet as text", async () => {
  expect(await succeed("items create 5 --quantity 0 --status pending")).toBe(
    "pet id  5\nstatus  pending\n",
  );
});

test("a failed command with --output=json prints its error as JSON", async () => {
  await succeed("items delete 1");
  const { code, stderr } = await inventory("items delete 1 --output=json");
  expect(code).toBe(4);
  expect(JSON.parse(stderr)).toEqual({
    code: "not_found",
    message: "Pet 1 is not in the inventory.",
  });
});

test.each<[command: string, code: number, message: string]>([
  ["items show 404", 4, "error: Pet 404 is not in the inventory."],
  ["items show 0", 2, "<pet-id>: "],
  ["items show x", 2, "<pet-id>: "],
  ["items set 1 20 --expect 11", 6, "The stock of pet 1 is 12, not the expected quantity"],
  ["items set 1 20 --expect 0", 6, "The stock of pet 1 is 12, not the expected quantity"],
  ["items set 1 -1", 2, "<quantity>: must be between 0 and 2147483647"],
  ["items set 1 2147483648", 2, "<quantity>: "],
  ["items set 1 5 --expect x", 2, "--expect: "],
  ["items set 1 5 --reason order", 2, "arrival, return, adjustment"],
  ["items list --max many", 2, "--max: "],
  ["items list --min 5 --max 4", 2, "--min: must not be above"],
  ["items list 1 2 1", 2, "[pet-id...]: must be unique"],
  ["items watch --min 5 --max 4", 2, "--min: must not be above"],
  ["items create 1 --quantity 2 --status sold", 6, "error: Pet 1 is in the inventory already.\n"],
  ["items create 0 --quantity 1 --status sold", 2, `<pet-id>: must be between 1 and ${largest}`],
  ["items create 5 --quantity -1 --status sold", 2, "--quantity: must be between 0 and 2147483647"],
  [
    "items create 9223372036854775808 --quantity 1 --status sold",
    2,
    "<pet-id>: must be an integer",
  ],
  ["items create 5 --quantity 2147483648 --status sold", 2, "--quantity: must be an integer"],
  ["items create 5 --quantity 1.5 --status sold", 2, "--quantity: must be an integer"],
  ["items create 5 --quantity 1 --status gone", 2, "choices are available, pending, sold"],
  ["items update 6 --status sold", 4, "error: Pet 6 is not in the inventory."],
  ["items update 0 --status sold", 2, `error: <pet-id>: must be between 1 and ${largest}`],
  ["items update 006 --status sold", 2, "error: <pet-id>: must be an integer"],
  ["items update 1 --status gone", 2, "Allowed choices are available, pending, sold"],
  ["items adjust 1 --by -13", 6, "The stock of pet 1 is 12, less than the 13 to be removed.\n"],
  ["items adjust 1 --by 0", 2, "--by: must not be 0"],
  ["items adjust 1 --by x", 2, "--by: must be an integer"],
  ["items adjust 1", 2, "required option '--by <n>'"],
  ["items adjust 1 --by 1 --reason theft", 2, "Allowed choices are arrival, return, adjustment"],
  [
    `items adjust 1 --by 1 --note ${"x".repeat(501)}`,
    2,
    "--note: must have at most 500 characters",
  ],
  ["items history 404", 4, "Pet 404 is not in the inventory."],
  ["items history --limit 0", 2, "It must be an integer from 1 to 999999"],
  ["items history --limit 1000000", 2, "It must be an integer from 1 to 999999"],
  ["items history x", 2, "[pet-id]: must be an integer"],
])("%s changes nothing: exit code %i", async (command, code, message) => {
  const outcome = await inventory(command);
  expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringContaining(message) });
  expect(await succeed("items list --output=json")).toBe(all);
});

describe("items history", () => {
  test("prints the changes of all pets or of one, newest first, with their reasons", async () => {
    const why = ["--reason", "arrival", "--note", "two boxes", "--reference", "PO-17"];
    await succeed("items create 5 --quantity 1 --status sold");
    await succeed("items set 2 20", ...why);
    await succeed("items adjust 5 --by 3", ...why);
    const arrival = { reason: "arrival", note: "two boxes", reference: "PO-17" };
    const adjusted = { petId: 5, quantityBefore: 1, quantityAfter: 4, ...arrival };
    const set = { petId: 2, quantityBefore: 0, quantityAfter: 20, ...arrival };
    const created = { petId: 5, quantityAfter: 1, reason: "import" };
    expect((await json("items history")).slice(0, 3)).toMatchObject([adjusted, set, created]);
    expect(await json("items history 5")).toMatchObject([adjusted, created]);
    expect(await json("items history --limit 1")).toMatchObject([adjusted]);
  });

  test("names the account of a change, or shows its id if it is deleted", async () => {
    await withStores(async (stores) => {
      await addAccount(stores, { plan: "free" }, "aaaaaaaaaaaa");
      await stores.accounts.update("aaaaaaaaaaaa", { name: "Harbor Pets" });
      for (const accountId of ["aaaaaaaaaaaa", "bbbbbbbbbbbb"]) {
        const origin = { ...unknownOrigin, accountId };
        await stores.inventory.change({ petId: 1n, delta: 1 }, { origin });
      }
    });
    const stdout = await succeed("items history 1 --limit 2");
    expect(stdout).toMatch(/ REASON +CHANGED BY\b.*\n.* bbbbbbbbbbbb\b.*\n.* Harbor Pets\b/);
  });

  test("prints a table as text", async () => {
    const stdout = await succeed("items history 1");
    expect(stdout).toMatch(/^TIME +PET ID +BEFORE +AFTER +REASON +VERSION\n/);
    expect(stdout).toMatch(/\n\d{4}-\d\d-\d\dT\S+Z +1 +12 +\S+ +\d{16}\n$/);
  });
});
