import { type Command, Option } from "commander";
import { addCommand, holdStateWords, lazy } from "../command-options.ts";
import type { Environment } from "../environment.ts";

/** Adds the `holds` commands. */
export function addHoldCommands(program: Command, environment: Environment): void {
  const holds = program.command("holds").description("show and release the holds of all accounts");

  addCommand(
    holds,
    "list",
    "list holds, those that began last first",
    "inventory holds list --pet 7",
    "inventory holds list --account 7k2mq0x4v9ab --state expired --last 20",
  )
    .option("--account <id>", "only the holds of this account")
    .option("--pet <id>", "only holds with units of this pet")
    .addOption(
      new Option("--state <state>", "only holds in this state")
        .choices(holdStateWords)
        .default("active"),
    )
    .option("--last <n>", "the number of holds, 1 to 1000", "100")
    .action(lazy(environment, async () => (await import("./holds.ts")).listHolds));

  addCommand(holds, "get", "show one hold", "inventory holds get 7k2mq0x4v9ab cart-7")
    .argument("<account>", "the id of the account that owns the hold")
    .argument("<hold-id>", "the hold id")
    .action(lazy(environment, async () => (await import("./holds.ts")).getHold));

  addCommand(
    holds,
    "release",
    "end a hold and put its units back into stock",
    "inventory holds release 7k2mq0x4v9ab cart-7",
  )
    .argument("<account>", "the id of the account that owns the hold")
    .argument("<hold-id>", "the hold id")
    .action(lazy(environment, async () => (await import("./holds.ts")).releaseHold));
}
