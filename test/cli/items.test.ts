import { describe, expect, test } from "vitest";
import { useCommands } from "./command-line.ts";

const { inventory } = useCommands();

const largest = "9223372036854775807";

function create(pet: string, quantity: string, status: string, ...more: string[]) {
  const item = [pet, "--quantity", quantity, "--status", status];
  return inventory("items create", ...item, ...more);
}

describe("items create", () => {
  test("--output json prints the pet with its exact id", async () => {
    expect(await create(largest, "2147483647", "sold", "--output=json")).toEqual({
      code: 0,
      stdout: `{"petId":${largest},"quantity":2147483647,"status":"sold"}\n`,
      stderr: "",
    });
  });

  test("prints the pet as text", async () => {
    expect((await create("5", "0", "pending")).stdout).toBe(
      "pet id    5\nquantity  0\nstatus    pending\n",
    );
  });

  test("an existing pet fails: exit code 6", async () => {
    await create("5", "1", "sold");
    expect(await create("5", "2", "sold")).toEqual({
      code: 6,
      stdout: "",
      stderr: "error: Pet 5 is in the inventory already.\n",
    });
  });

  test.each([
    [
      "0",
      "-1",
      "sold",
      2,
      "<pet-id>: must be between 1 and 9223372036854775807; --quantity: must be between 0 and 2147483647",
    ],
    ["9223372036854775808", "1", "sold", 2, "<pet-id>: must be an integer"],
    ["1", "2147483648", "sold", 2, "--quantity: must be an integer"],
    ["1", "1.5", "sold", 2, "--quantity: must be an integer"],
    ["1", "1", "gone", 2, "Allowed choices are available, pending, sold"],
  ])(
    "pet %s, quantity %s, status %s: exit code %i",
    async (pet, quantity, status, code, message) => {
      const outcome = await create(pet, quantity, status);
      expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringContaining(message) });
      expect((await inventory("items export --output=json")).stdout).toBe("[]\n");
    },
  );
});

describe("items set-status", () => {
  test("changes only the status", async () => {
    await create(largest, "3", "available");
    expect((await inventory("items set-status", largest, "sold", "--output=json")).stdout).toBe(
      `{"petId":${largest},"quantity":3,"status":"sold"}\n`,
    );
  });

  test.each([
    [["6", "sold"], 4, "error: Pet 6 is not in the inventory."],
    [["0", "sold"], 2, "error: <pet-id>: must be between 1 and 9223372036854775807"],
    [["006", "sold"], 2, "error: <pet-id>: must be an integer"],
    [["6", "gone"], 2, "Allowed choices are available, pending, sold"],
  ])("%j: exit code %i", async (args, code, message) => {
    const outcome = await inventory("items set-status", ...args);
    expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringContaining(message) });
  });
});

describe("items delete", () => {
  test("prints the deleted pet; a second deletion fails with exit code 4", async () => {
    await create("5", "3", "available");
    expect((await inventory("items delete 5 --output=json")).stdout).toBe(
      '{"petId":5,"quantity":3,"status":"available"}\n',
    );
    const { code, stderr } = await inventory("items delete 5 --output=json");
    expect(code).toBe(4);
    expect(JSON.parse(stderr)).toEqual({
      code: "not_found",
      message: "Pet 5 is not in the inventory.",
    });
  });
});

describe("items adjust", () => {
  test("adds a positive --by and subtracts a negative one", async () => {
    await create("5", "1", "sold");
    await inventory("items adjust 5 --by 3");
    expect((await inventory("items adjust 5 --by -4 --output=json")).stdout).toBe(
      '{"petId":5,"quantity":0,"status":"sold"}\n',
    );
  });

  test("too small a stock fails: exit code 6", async () => {
    await create("5", "1", "sold");
    expect(await inventory("items adjust 5 --by -2")).toEqual({
      code: 6,
      stdout: "",
      stderr: "error: The stock of pet 5 is 1, less than the 2 to be removed.\n",
    });
  });

  test.each([
    [["--by", "0"], 2, "--by: must not be 0"],
    [["--by", "x"], 2, "--by: must be an integer"],
    [[], 2, "required option '--by <n>'"],
    [["--by", "1", "--reason", "theft"], 2, "Allowed choices are arrival, return, adjustment"],
    [["--by", "1", "--note", "x".repeat(501)], 2, "--note: must have at most 500 characters"],
  ])("%j: exit code %i", async (args, code, message) => {
    await create("5", "1", "sold");
    const outcome = await inventory("items adjust 5", ...args);
    expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringContaining(message) });
  });
});

describe("items history", () => {
  const history = async (...args: string[]) => {
    const { stdout } = await inventory("items history", ...args, "--output=json");
    return JSON.parse(stdout);
  };

  test("prints the changes of all pets or of one, newest first, with their reasons", async () => {
    await create("5", "1", "sold");
    await create("6", "1", "sold");
    const why = ["--reason", "arrival", "--note", "two boxes", "--reference", "PO-17"];
    await inventory("items adjust 5 --by 3", ...why);
    const arrival = { reason: "arrival", note: "two boxes", reference: "PO-17" };
    const adjusted = { petId: 5, quantityBefore: 1, quantityAfter: 4, ...arrival };
    const created = { petId: 5, quantityAfter: 1, reason: "import" };
    expect(await history()).toMatchObject([adjusted, { petId: 6 }, created]);
    expect(await history("5")).toMatchObject([adjusted, created]);
    expect(await history("--limit", "1")).toMatchObject([adjusted]);
  });

  test("prints a table as text", async () => {
    await create("5", "1", "sold");
    const { stdout } = await inventory("items history 5");
    expect(stdout).toMatch(/^TIME +PET ID +BEFORE +AFTER +REASON +VERSION\n/);
    expect(stdout).toMatch(/\n\d{4}-\d\d-\d\dT\S+Z +5 +1 +import +\d{16}\n$/);
  });

  test.each([
    [["404"], 4, "Pet 404 is not in the inventory."],
    [["--limit", "0"], 2, "It must be an integer from 1 to 999999"],
    [["--limit", "1000000"], 2, "It must be an integer from 1 to 999999"],
    [["x"], 2, "[pet-id]: must be an integer"],
  ])("%j: exit code %i", async (args, code, message) => {
    const outcome = await inventory("items history", ...args);
    expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringContaining(message) });
  });
});
