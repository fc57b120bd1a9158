import { Argument, type Command } from "commander";
import {
  addCommand,
  addLimitOptions,
  choice,
  durationOption,
  lazy,
  limitOption,
  planWords,
  writePolicyWords,
} from "../command-options.ts";
import type { Environment } from "../environment.ts";

const load = () => import("./accounts.ts");
const loadUsage = () => import("./usage.ts");

/** Adds the `accounts` commands. */
export function addAccountCommands(program: Command, environment: Environment): void {
  const accounts = program
    .command("accounts")
    .description("manage accounts, their plans and their limits");

  addLimitOptions(
    addCommand(
      accounts,
      "create",
      "create an account",
      'inventory accounts create --name "Corner Pet Shop" --plan free',
      "inventory accounts create --name Chain --plan enterprise --per-minute 5000 --per-day 2000000",
    )
      .requiredOption("--name <name>", "a human-readable name")
      .addOption(choice("--plan <plan>", "the account's plan", planWords).makeOptionMandatory()),
  ).action(lazy(environment, async () => (await load()).createAccount));

  addCommand(accounts, "list", "list all accounts, oldest first")
    .addOption(limitOption())
    .action(lazy(environment, async () => (await load()).listAccounts));

  addCommand(accounts, "show <account-id>", "show one account").action(
    lazy(environment, async () => (await load()).showAccount),
  );

  addLimitOptions(
    addCommand(
      accounts,
      "set-plan <account-id>",
      "change the plan of an account; its next request has the new limits",
      "inventory accounts set-plan 7k2mq0x4v9ab pro",
    ).addArgument(new Argument("<plan>", "the new plan").choices(planWords)),
  ).action(lazy(environment, async () => (await load()).setPlan));

  addCommand(
    accounts,
    "write-policy <account-id>",
    `set the write policy of an account, from its next request

With strict, a request that sets a quantity needs If-Match or an expected quantity. Adjustments,
request batches and orders need an idempotency key. A request without its condition or
idempotency key gets 428. With any, changes need neither.`,
    "inventory accounts write-policy 7k2mq0x4v9ab strict",
  )
    .addArgument(new Argument("<policy>", "the new policy").choices(writePolicyWords))
    .action(lazy(environment, async () => (await load()).setWritePolicy));

  addCommand(
    accounts,
    "rename <account-id>",
    "change the name of an account",
    'inventory accounts rename 7k2mq0x4v9ab "Corner Pet Shop"',
  )
    .argument("<name>", "the new human-readable name")
    .action(lazy(environment, async () => (await load()).renameAccount));

  addCommand(
    accounts,
    "disable <account-id>",
    "reject all requests of an account, from the next one\n\nIts keys, orders and usage remain. `accounts enable` lets it send requests again.",
  ).action(lazy(environment, async () => (await load()).disableAccount));

  addCommand(accounts, "enable <account-id>", "let a disabled account send requests again").action(
    lazy(environment, async () => (await load()).enableAccount),
  );

  addCommand(
    accounts,
    "delete <account-id>",
    `delete an account with its keys, orders and usage

On a terminal, the command shows what it will delete, and asks. Elsewhere it needs --yes.
The holds of the account end. The units of its orders stay out of stock: to put them back, cancel
the orders first. The history and the audit trail keep the account's id. After an
interruption, run the command again.`,
    "inventory accounts delete 7k2mq0x4v9ab",
    "inventory accounts delete 7k2mq0x4v9ab --yes",
  )
    .option("--yes", "do not ask")
    .action(lazy(environment, async () => (await import("./account-deletion.ts")).deleteAccount));

  addCommand(
    accounts,
    "usage",
    `show the limits and the requests of an account, or list the busiest accounts

Without an account id, lists the accounts with the most requests of today (in UTC). A service
adds its counts to Redis within about 11 s of the requests.`,
    "inventory accounts usage 7k2mq0x4v9ab",
    "inventory accounts usage --refused",
  )
    .argument("[account-id]", "the account id; the busiest accounts if absent")
    .option("--refused", "list the accounts with the most refused requests of today")
    .addOption(limitOption(maxTop, maxTop))
    .action(lazy(environment, async () => (await loadUsage()).printAccountUsage));
}

/** Maximum number of accounts that the service returns by their requests. */
const maxTop = 50;

/** Adds the commands `usage` and `bans`. */
export function addUsageCommands(program: Command, environment: Environment): void {
  addCommand(
    program,
    "usage",
    "show the limits and the requests of the account of the API key\n\nThe command needs a server.",
    "inventory usage --server https://inventory.example.com",
  ).action(lazy(environment, async () => (await loadUsage()).printOwnUsage));

  const bans = program.command("bans").description("show banned API keys");
  addCommand(
    bans,
    "list",
    "list the keys that are banned now; bans that end soonest come first\n\n`inventory keys unban` lifts a ban.",
  )
    .addOption(limitOption())
    .action(lazy(environment, async () => (await loadUsage()).listBans));
}

/** Adds the command `top`. */
export function addTopCommand(program: Command, environment: Environment): void {
  addCommand(
    program,
    "top",
    `show requests a second, decisions, the latency of Redis and the busiest accounts

The rates and the latency are those of one service, read from its admin port (ADMIN_ADDR). The
accounts come from Redis, or from the server.

On a terminal, the command redraws until Ctrl-C. Elsewhere, it prints one line of JSON for each
interval. With --once, it prints one result and exits.`,
    "inventory top",
    "inventory top --once -o json",
    "inventory top --server https://inventory.example --admin http://10.0.0.5:9464",
  )
    .option("--admin <url>", "the admin port of the service", "http://127.0.0.1:9464")
    .addOption(
      durationOption("--interval <duration>", "time between two results").default(2_000, "2s"),
    )
    .option("--once", "print one result, for the first interval, and exit")
    .action(lazy(environment, async () => (await import("./top.ts")).top));
}
