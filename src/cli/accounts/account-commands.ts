import type { Command } from "commander";
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
  const addDeletion = commandsOf(accounts, environment, () => import("./account-deletion.ts"));
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
  addDeletion(
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
