import { execFileSync } from "node:child_process";
import { createServer } from "node:http2";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { newApiKey } from "../../src/access/api-key.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { listen } from "../support/listen.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { placed } from "../support/stock.ts";
import { useRedis } from "../support/stores.ts";
import { runHere, runThere, succeedHere } from "./command-line.ts";

/** Runs lines of a shell before and after the completion script. @returns the lines that it prints */
async function inShell(
  shell: "bash" | "zsh" | "fish",
  args: readonly string[],
  after: string,
  before = "",
): Promise<string[]> {
  const script = await succeedHere(["completion", shell], {});
  const printed = execFileSync(shell, [...args, "-c", `${before}\n${script}\n${after}`], {
    encoding: "utf8",
  });
  return printed.trimEnd().split("\n");
}

/** A program of a shell that completes ids: prints the words of the command line as an id. */
const echoing =
  'inventory() { [ "$1" = __complete ] && shift && printf \'%s\\tabout\\n\' "$(IFS=,; echo "$*")id"; }';

describe("bash", () => {
  /** Returns the suggestions for the last word. */
  async function suggestions(...words: string[]): Promise<string[]> {
    const list = words.map((word) => `'${word}'`).join(" ");
    const [line = ""] = await inShell(
      "bash",
      ["--norc"],
      `COMP_WORDS=(inventory ${list}); COMP_CWORD=${words.length}
       COMP_LINE="inventory ${words.join(" ")}"; COMP_POINT=\${#COMP_LINE}
       _inventory; echo "\${COMPREPLY[@]}"`,
      echoing,
    );
    return line.split(" ");
  }

  test("suggests commands, options and values", async () => {
    expect(await suggestions("acc")).toEqual(["accounts"]);
    expect(await suggestions("keys", "re")).toEqual(["revoke"]);
    expect(await suggestions("accounts", "create", "--pl")).toEqual(["--plan"]);
    const plans = ["free", "pro", "business", "enterprise"];
    expect(await suggestions("accounts", "create", "--plan", "")).toEqual(plans);
    expect(await suggestions("accounts", "create", "--plan", "=", "p")).toEqual(["pro"]);
    expect(await suggestions("accounts", "set-plan", "7k2mq0x4v9ab", "p")).toContain("pro");
    expect(await suggestions("accounts", "write-policy", "7k2mq0x4v9ab", "s")).toEqual(["strict"]);
  });

  test("suggests ids where a command has them", async () => {
    expect(await suggestions("keys", "revoke", "keys,revoke,")).toEqual([
      "keys,revoke,keys,revoke,id",
    ]);
    expect(await suggestions("items", "remove", "")).toContain("items,remove,id");
    expect(await suggestions("accounts", "create", "")).not.toContain("accounts,create,id");
    expect(await suggestions("keys", "")).not.toContain("keys,id");
  });

  test("leaves values that can be anything to the shell", async () => {
    expect(await suggestions("backup", "x")).toEqual([""]);
    expect(await suggestions("items", "import", "--server", "")).toEqual([""]);
  });
});

describe("zsh", () => {
  // Without the completion system, which needs a terminal.
  const stubs =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a parameter of zsh
    'compdef() { }; compadd() { shift; print -l -- "$@" }; _describe() { print -l -- "${(@P)2}" }';

  test("suggests commands and values", async () => {
    const suggest = (words: string, current: number) =>
      inShell(
        "zsh",
        ["-f"],
        `words=(inventory ${words}); CURRENT=${current}; _inventory`,
        `${stubs}; ${echoing}`,
      );
    const plans = ["free", "pro", "business", "enterprise"];
    expect(await suggest("accounts create --plan ''", 5)).toEqual(plans);
    expect(await suggest("accounts ''", 3)).toContain("create:create an account");
    expect(await suggest("holds show x ''", 5)).toContain("holds,show,x,id:about");
  });
});

describe("fish", () => {
  test("suggests commands, options and values", async () => {
    const suggest = (line: string) => inShell("fish", ["--no-config"], `complete -C "${line}"`);
    expect(await suggest("inventory acc")).toEqual([expect.stringMatching(/^accounts\t/)]);
    expect(await suggest("inventory accounts create --pl")).toEqual(["--plan\tthe account's plan"]);
    const plans = await suggest("inventory accounts create --plan ");
    const ids = await inShell(
      "fish",
      ["--no-config"],
      'complete -C "inventory orders cancel x "',
      "function inventory; printf '%s\\tabout\\n' (string join , -- $argv[2..-1])id; end",
    );
    expect(ids).toContain("orders,cancel,x,id\tabout");
    expect(plans.map((line) => line.split("\t")[0])).toEqual([
      "business",
      "enterprise",
      "free",
      "pro",
    ]);
  });
});

describe("ids", () => {
  const redis = useRedis();
  const own = { accountId: "", other: "", keyId: "", orderId: "" };

  beforeEach(async () => {
    await redis.client.flushdb();
    const stores = openRedisStores(redis.url);
    await stores.ready(5_000);
    own.accountId = await addAccount(stores);
    own.other = await addAccount(stores, { plan: "free" }, "bbbbbbbbbbbb");
    own.keyId = (await addKey(stores, own.accountId, { name: "till" })).keyId;
    const revoked = await addKey(stores, own.accountId);
    await stores.accounts.revokeKey(revoked.keyId);
    const items = Array.from({ length: 300 }, (_, at) => ({
      petId: BigInt(at + 1),
      quantity: 9,
      status: PetStatus.SOLD,
    }));
    await stores.inventory.put(items);
    own.orderId = `${(await placed(stores.orders, own.accountId, 7n, 2)).orderId}`;
    await stores.holds.put(own.accountId, "cart-7", [{ petId: 7n, quantity: 1 }], 900_000);
    await stores.close();
  });

  const ids = async (...words: string[]) =>
    (await succeedHere(["__complete", ...words], { redisUrl: redis.url })).trimEnd().split("\n");

  test("are those of the service, with what they name", async () => {
    expect(await ids("keys", "rotate", "--grace", "7d", "")).toEqual([`${own.keyId}\ttill`]);
    expect(await ids("keys", "revoke", own.keyId.slice(0, 15))).toEqual([`${own.keyId}\ttill`]);
    expect((await ids("accounts", "remove", "")).map((line) => line.split("\t")[0])).toEqual(
      [own.accountId, own.other].sort(),
    );
    expect(await ids("items", "show", "299")).toEqual(["299\t9 sold"]);
    expect(await ids("items", "list", "1", "2", "298")).toEqual(["298\t9 sold"]);
    expect(await ids("orders", "cancel", own.accountId, "")).toEqual([
      `${own.orderId}\t2 of pet 7, placed`,
    ]);
    expect(await ids("holds", "show", own.accountId, "c")).toEqual(["cart-7\t1 of pet 7"]);
    expect(await ids("holds", "show", own.other, "")).toEqual([""]);
  });

  test("are at most 100, and none where another value belongs", async () => {
    expect(await ids("items", "delete", "")).toHaveLength(100);
    expect(await ids("items", "create", "5", "--quantity", "")).toEqual([""]);
    expect(await ids("accounts", "set-plan", own.accountId, "")).toEqual([""]);
    expect(await ids("items", "delete", "5", "")).toEqual([""]);
    expect(await ids("completion", "")).toEqual([""]);
  });

  test("of a server that does not respond are none", async () => {
    const stalled = createServer();
    stalled.on("session", (session) => session.on("error", () => {}));
    const url = await listen(stalled);
    onTestFinished(() => void stalled.close());
    const words = ["__complete", "accounts", "show", "--server", url, ""];
    const variables = { INVENTORY_API_KEY: newApiKey("7k2mq0x4v9ab") };
    const outcome = await runThere(words, { variables });
    expect(outcome).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

test("another shell is a wrong command line: exit code 2", async () => {
  const { code, stderr } = await runHere(["completion", "powershell"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish")]);
});
