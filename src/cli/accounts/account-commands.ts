import type { Command, Option } from "commander";
import { scopes } from "../../access/scopes.ts";
import {
  argument,
  commandsOf,
  durationOption,
  limitOption,
  option,
  planWords,
  writePolicyWords,
} from "../command-options.ts";
import type { Environment } from "../environment.ts";

const loadUsage = () => import("./usage.ts");

const limits = () => [
  option("--per-minute <n>", "requests per minute, 1 to 1000000; only for the plan enterprise"),
  option("--per-day <n>", "requests per day, 1 to 1000000000; only for the plan enterprise"),
];

/** Maximum number of accounts that the service returns by their requests. */
const maxTop = 50;

export function addAccountCommands(program: Command, environment: Environment): void {
  const accounts = program
    .command("accounts")
    .description("manage accounts, their plans and their limits");
  const add = commandsOf(accounts, environment, () => import("./accounts.ts"));
  const addUsage = commandsOf(accounts, environment, loadUsage);

  add(
    "create",
    "create an account",
    "createAccount",
    option("--name <name>", "a human-readable name").makeOptionMandatory(),
    option("--plan <plan>", "the account's plan", planWords).makeOptionMandatory(),
    limits(),
    'inventory accounts create --name "Corner Pet Shop" --plan free',
    "inventory accounts create --name Chain --plan enterprise --per-minute 5000 --per-day 2000000",
  );
  add("list", "list all accounts, oldest first", "listAccounts", limitOption());
  add("show <account-id>", "show one account", "showAccount");
  add(
    "set-plan <account-id>",
    "change the plan of an account; its next request has the new limits",
    "setPlan",
    argument("<plan>", "the new plan", planWords),
    limits(),
    "inventory accounts set-plan 7k2mq0x4v9ab pro",
  );
  add(
    "write-policy <account-id>",
    `set the write policy of an account, from its next request

With strict, a request that sets a quantity needs If-Match or an expected quantity. Adjustments,
request batches and orders need an idempotency key. A request without its condition or
idempotency key gets 428. With any, changes need neither.`,
    "setWritePolicy",
    argument("<policy>", "the new policy", writePolicyWords),
    "inventory accounts write-policy 7k2mq0x4v9ab strict",
  );
  add(
    "rename <account-id>",
    "change the name of an account",
    "renameAccount",
    argument("<name>", "the new human-readable name"),
    'inventory accounts rename 7k2mq0x4v9ab "Corner Pet Shop"',
  );
  add(
    "disable <account-id>",
    "reject all requests of an account, from the next one\n\nIts keys, orders and usage remain. `accounts enable` lets it send requests again.",
    "disableAccount",
  );
  add("enable <account-id>", "let a disabled account send requests again", "enableAccount");
  add(
    "delete <account-id>",
    `delete an account with its keys, orders and usage

On a terminal, the command shows what it will delete, and asks. Elsewhere it needs --yes.
The holds of the account end. The units of its orders stay out of stock: to put them back, cancel
the orders first. The history and the audit trail keep the account's id. After an
interruption, run the command again.`,
    "deleteAccount",
    option("--yes", "do not ask"),
    "inventory accounts delete 7k2mq0x4v9ab",
    "inventory accounts delete 7k2mq0x4v9ab --yes",
  );
  addUsage(
    "usage",
    `show the limits and the requests of an account, or list the busiest accounts

Without an account id, lists the accounts with the most requests of today (in UTC). A service
adds its counts to Redis within about 11 s of the requests.`,
    "printAccountUsage",
    argument("[account-id]", "the account id; the busiest accounts if absent"),
    option("--refused", "list the accounts with the most refused requests of today"),
    limitOption(maxTop, maxTop),
    "inventory accounts usage 7k2mq0x4v9ab",
    "inventory accounts usage --refused",
  );
}

export function addUsageCommands(program: Command, environment: Environment): void {
  commandsOf(program, environment, loadUsage)(
    "usage",
    "show the limits and the requests of the account of the API key\n\nThe command needs a server.",
    "printOwnUsage",

    "inventory usage --server https://inventory.example.com",
  );
  const bans = program.command("bans").description("show banned API keys");
  commandsOf(bans, environment, loadUsage)(
    "list",
    "list the keys that are banned now; bans that end soonest come first\n\n`inventory keys unban` lifts a ban.",
    "listBans",
    limitOption(),
  );
}

export function addTopCommand(program: Command, environment: Environment): void {
  commandsOf(program, environment, () => import("./top.ts"))(
    "top",
    `show requests a second, decisions, the latency of Redis and the busiest accounts

The rates and the latency are those of one service, read from its admin port (ADMIN_ADDR). The
accounts come from Redis, or from the server.

On a terminal, the command redraws until Ctrl-C. Elsewhere, it prints one line of JSON for each
interval. With --once, it prints one result and exits.`,
    "top",
    option("--admin <url>", "the admin port of the service").default("http://127.0.0.1:9464"),
    durationOption("--interval <duration>", "time between two results").default(2_000, "2s"),
    option("--once", "print one result, for the first interval, and exit"),
    "inventory top",
    "inventory top --once -o json",
    "inventory top --server https://inventory.example --admin http://10.0.0.5:9464",
  );
}

export function addKeyCommands(program: Command, environment: Environment): void {
  const keys = program.command("keys").description("manage the API keys of accounts");
  const add = commandsOf(keys, environment, () => import("./keys.ts"));

  add(
    "create <account-id>",
    "create an API key\n\nThe key is shown only once: the service stores only its hash. The scope inventory:audit shows the account,\nkey, request id, note and reference of every change of the stock. The scope admin includes all others.",
    "createKey",
    option("--name <name>", "a human-readable name"),
    listOption(
      "--scope <scopes>",
      `scopes of the key, separated by commas: ${scopes.join(", ")}`,
      "all except inventory:audit, catalog:write and admin",
    ),
    listOption(
      "--allowed-address <networks>",
      "addresses and networks from which the key can be used, separated by commas",
      "all",
    ),
    durationOption("--expires <duration>", "time until the key expires", "never"),
    "inventory keys create 7k2mq0x4v9ab --name checkout",
    "inventory keys create 7k2mq0x4v9ab --scope inventory:read,store:read --expires 30d",
    "inventory keys create 7k2mq0x4v9ab --allowed-address 192.0.2.0/24,2001:db8::7",
  );
  add(
    "list [account-id]",
    "list the keys of an account, or of all accounts, oldest first, with their last use and bans",
    "listKeys",
    durationOption("--expiring <duration>", "only valid keys that expire within this time"),
    limitOption(),
    "inventory keys list 7k2mq0x4v9ab",
    "inventory keys list --expiring 14d",
  );
  add("revoke <key-id>", "revoke a key; its next request is rejected", "revokeKey");
  add(
    "rotate <key-id>",
    "replace a key with a new one that has the same name, scopes and allowed addresses\n\nThe new key is shown only once: the service stores only its hash. The old key stays valid for a grace\nperiod.",
    "rotateKey",
    durationOption(
      "--grace <duration>",
      "time for which the old key stays valid, at most 366d",
      "24h",
    ),
    "inventory keys rotate 7k2mq0x4v9ab3h8rt1zc --grace 7d",
  );
  add("unban <key-id>", "lift the ban of a key and delete its record of earlier bans", "unbanKey");
}

/** Returns an option with values that are separated by commas. It can be repeated. */
function listOption(flags: string, description: string, byDefault: string): Option {
  return (
    option(flags, description)
      // Empty values are kept and rejected later: `--scope "$UNSET"` must not mean the default.
      .argParser<readonly string[]>((text, previous = []) => [
        ...previous,
        ...text.split(",").map((part) => part.trim()),
      ])
      .default(undefined, byDefault)
  );
}
