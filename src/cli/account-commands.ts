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

/** Adds the commands about accounts. */
export function addAccountCommands(program: Command, environment: Environment): void {
  const accounts = program
    .command("accounts")
    .description("who uses the service, and how much of it");

  addLimitOptions(
    addCommand(
      accounts,
      "create",
      "create an account",
      'inventory accounts create --name "Corner Pet Shop" --plan free',
      "inventory accounts create --name Chain --plan enterprise --per-minute 5000 --per-day 2000000",
    )
      .requiredOption("--name <name>", "its name, for people")
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
    .argument("<id>", "the account")
    .action(async (id: string, options: CommonOptions) => {
      const { showAccount } = await import("./accounts.ts");
      await showAccount(environment, id, options);
    });

  addLimitOptions(
    addCommand(
      accounts,
      "set-plan",
      "put an account on another plan, from its very next request on",
      "inventory accounts set-plan 7k2mq0x4v9ab pro",
    )
      .argument("<id>", "the account")
      .addArgument(planArgument()),
  ).action(async (id: string, plan: PlanWord, options: LimitOptions) => {
    const { setPlan } = await import("./accounts.ts");
    await setPlan(environment, id, plan, options);
  });
}
