import { beforeEach, expect, test } from "vitest";
import { useCommands } from "./command-line.ts";

const { inventory, json, succeed, withStores } = useCommands();

beforeEach(async () => {
  await withStores(async (stores) => {
    await stores.inventory.put([
      { petId: 1n, quantity: 12, status: 1 },
      { petId: 2n, quantity: 0, status: 3 },
      { petId: 9_007_199_254_740_993n, quantity: 4, status: 1 },
    ]);
  });
});

test("items list prints all pets by ascending id", async () => {
  expect(await succeed("items list")).toBe(
    "          PET ID  QUANTITY  STATUS\n" +
      "               1        12  available\n" +
      "               2         0  sold\n" +
      "9007199254740993         4  available\n",
  );
});

test.each([
  [["--status", "available"], "1 9007199254740993"],
  [["--max", "11"], "2 9007199254740993"],
  [["--limit", "2"], "1 2"],
  [["--limit", "1", "--status", "available", "--max", "5"], "9007199254740993"],
  [["--min", "4", "--max", "11"], "9007199254740993"],
  [["9007199254740993", "2", "404"], "2 9007199254740993"],
  [["1", "2", "--status", "sold", "--max", "0"], "2"],
])("items list %j prints those pets", async (options, ids) => {
  const lines = (await succeed("items list", ...options)).trimEnd().split("\n").slice(1);
  expect(lines.map((line) => line.trim().split(" ")[0]).join(" ")).toBe(ids);
});

test("items list --output json prints an array with exact ids", async () => {
  const stdout = await succeed("items list --output=json --max 4");
  expect(stdout).toBe(
    '[{"petId":2,"quantity":0,"status":"sold"},{"petId":9007199254740993,"quantity":4,"status":"available"}]\n',
  );
});

test("items show prints one pet", async () => {
  expect(await succeed("items show 1")).toBe("pet id    1\nquantity  12\nstatus    available\n");
});

test("items set sets the quantity, with its reason in the history", async () => {
  const reason = ["--reason", "arrival", "--note", "By van.", "--reference", "PO-1"];
  const stdout = await succeed("items set 1 20 --expect 12", ...reason, "--output=json");
  expect(JSON.parse(stdout)).toEqual({ petId: 1, quantity: 20, status: "available" });
  const [change] = await json("items history 1");
  expect(change).toMatchObject({ reason: "arrival", note: "By van.", reference: "PO-1" });
});

test.each(["11", "0"])(
  "items set --expect %s changes nothing when the quantity is another one",
  async (expected) => {
    const { code, stdout, stderr } = await inventory("items set 1 20 --expect", expected);
    expect([code, stdout]).toEqual([6, ""]);
    expect(stderr).toContain("The stock of pet 1 is 12, not the expected quantity");
    expect(await succeed("items show 1")).toContain("quantity  12\n");
  },
);

test("items set --expect 0 changes a pet without stock", async () => {
  const stdout = await succeed("items set 2 20 --expect 0 --output=json");
  expect(JSON.parse(stdout)).toMatchObject({ petId: 2, quantity: 20 });
});

test.each<[string[], number, string]>([
  [["items", "show", "404"], 4, "Pet 404 is not in the inventory"],
  [["items", "show", "0"], 2, "<pet-id>: "],
  [["items", "show", "x"], 2, "<pet-id>: "],
  [["items", "set", "1", "-1"], 2, "<quantity>: must be between 0 and 2147483647"],
  [["items", "set", "1", "2147483648"], 2, "<quantity>: "],
  [["items", "set", "1", "5", "--expect", "x"], 2, "--expect: "],
  [["items", "set", "1", "5", "--reason", "order"], 2, "arrival, return, adjustment"],
  [["items", "list", "--max", "many"], 2, "--max: "],
  [["items", "list", "--min", "5", "--max", "4"], 2, "--min: must not be above"],
  [["items", "list", "1", "2", "1"], 2, "[pet-id...]: must be unique"],
  [["items", "watch", "--min", "5", "--max", "4"], 2, "--min: must not be above"],
])("%j: exit code %i and a message", async (args, expected, message) => {
  const { code, stdout, stderr } = await inventory(...args);
  expect([code, stdout]).toEqual([expected, ""]);
  expect(stderr).toContain(message);
});
