import { Argument, type Command, Option } from "commander";
import { addCommand, addLimitOptions, lazy, planWords } from "../command-options.ts";
import type { Environment } from "../environment.ts";

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
      .addOption(
        new Option("--plan <plan>", "the account's plan").choices(planWords).makeOptionMandatory(),
      ),
  ).action(lazy(environment, async () => (await import("./accounts.ts")).createAccount));

  addCommand(accounts, "list", "list all accounts, oldest first", "inventory accounts list").action(
    lazy(environment, async () => (await import("./accounts.ts")).listAccounts),
  );

  addCommand(accounts, "show", "show one account", "inventory accounts show 7k2mq0x4v9ab")
    .argument("<id>", "the account id")
    .action(lazy(environment, async () => (await import("./accounts.ts")).showAccount));

  addLimitOptions(
    addCommand(
      accounts,
      "set-plan",
      "change the plan of an account; its next request has the new limits",
      "inventory accounts set-plan 7k2mq0x4v9ab pro",
    )
      .argument("<id>", "the account id")
      .addArgument(new Argument("<plan>", "the new plan").choices(planWords)),
  ).action(lazy(environment, async () => (await import("./accounts.ts")).setPlan));
  addCommand(
    accounts,
    "rename",
    "change the name of an account",
    'inventory accounts rename 7k2mq0x4v9ab "Corner Pet Shop"',
  )
    .argument("<id>", "the account id")
    .argument("<name>", "the new human-readable name")
    .action(lazy(environment, async () => (await import("./accounts.ts")).renameAccount));

  addCommand(
    accounts,
    "disable",
    "reject all requests of an account, from the next one\n\nIts keys, orders and usage remain. `accounts enable` lets it send requests again.",
    "inventory accounts disable 7k2mq0x4v9ab",
  )
    .argument("<id>", "the account id")
    .action(lazy(environment, async () => (await import("./accounts.ts")).disableAccount));

  addCommand(
    accounts,
    "enable",
    "let a disabled account send requests again",
    "inventory accounts enable 7k2mq0x4v9ab",
  )
    .argument("<id>", "the account id")
    .action(lazy(environment, async () => (await import("./accounts.ts")).enableAccount));

  addCommand(
    accounts,
    "delete",
    `delete an account with its keys, orders and usage

On a terminal, the command shows what it will delete and asks. Elsewhere it needs --yes.
The quantities of orders are not put back into stock: cancel the orders first if they
should be. The history and the audit trail keep the account's id. If the command is
interrupted, run it again: it deletes the rest.`,
    "inventory accounts delete 7k2mq0x4v9ab",
    "inventory accounts delete 7k2mq0x4v9ab --yes",
  )
    .argument("<id>", "the account id")
    .option("--yes", "do not ask")
    .action(lazy(environment, async () => (await import("./account-deletion.ts")).deleteAccount));
}
