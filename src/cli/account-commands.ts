import type { Command } from "commander";
import type { AccountOptions, LimitOptions } from "./accounts.ts";
import {
  addCommand,
  addLimitOptions,
  type CommonOptions,
  type PlanWord,
  planArgument,
  planOption,
} from "./command-options.ts";
import type { Environment } from "./environment.ts";

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
      .addOption(planOption()),
  ).action(async (options: AccountOptions) => {
    const { createAccount } = await import("./accounts.ts");
    await createAccount(environment, options);
  });

  addCommand(accounts, "list", "list all accounts, oldest first", "inventory accounts list").action(
    async (options: CommonOptions) => {
      const { listAccounts } = await import("./accounts.ts");
      await listAccounts(environment, options);
    },
  );

  addCommand(accounts, "show", "show one account", "inventory accounts show 7k2mq0x4v9ab")
    .argument("<id>", "the account id")
    .action(async (id: string, options: CommonOptions) => {
      const { showAccount } = await import("./accounts.ts");
      await showAccount(environment, id, options);
    });

  addLimitOptions(
    addCommand(
      accounts,
      "set-plan",
      "change the plan of an account; its next request has the new limits",
      "inventory accounts set-plan 7k2mq0x4v9ab pro",
    )
      .argument("<id>", "the account id")
      .addArgument(planArgument()),
  ).action(async (id: string, plan: PlanWord, options: LimitOptions) => {
    const { setPlan } = await import("./accounts.ts");
    await setPlan(environment, id, plan, options);
  });
}
