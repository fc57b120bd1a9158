import { Argument, type Command } from "commander";
import { addCommand, lazy } from "../command-options.ts";
import type { Environment } from "../environment.ts";

/** Adds the commands `usage` and `bans`, and `usage` to the group `accounts`. */
export function addUsageCommands(program: Command, environment: Environment): void {
  addCommand(
    program,
    "usage",
    "show the limits and the requests of the account of the API key\n\nIt needs a server.",
    "inventory usage --server https://inventory.example.com",
  ).action(lazy(environment, async () => (await import("./usage.ts")).printOwnUsage));

  const accounts = program.commands.find((command) => command.name() === "accounts") ?? program;
  addCommand(
    accounts,
    "usage",
    "show the limits and the requests of an account, or the busiest accounts\n\nA service adds its counts to Redis at most 10 s after the requests.",
    "inventory accounts usage 7k2mq0x4v9ab",
    "inventory accounts usage --top",
  )
    .addArgument(new Argument("[account]", "the account id, unless --top or --refused is set"))
    .option("--top", "list the accounts with most requests of today (in UTC)")
    .option("--refused", "list the accounts with most refused requests of today")
    .action(lazy(environment, async () => (await import("./usage.ts")).printAccountUsage));

  const bans = program.command("bans").description("show banned API keys");
  addCommand(
    bans,
    "list",
    "list the keys that are banned now, those whose ban ends first at the beginning\n\n`inventory keys unban` lifts a ban.",
    "inventory bans list",
  ).action(lazy(environment, async () => (await import("./usage.ts")).listBans));
}
