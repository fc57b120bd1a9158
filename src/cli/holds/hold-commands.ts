import { type Command, Option } from "commander";
import { addCommand, holdStateWords, lazy, limitOption } from "../command-options.ts";
import type { Environment } from "../environment.ts";

/** Adds the `holds` commands. */
export function addHoldCommands(program: Command, environment: Environment): void {
  const holds = program.command("holds").description("show and release the holds of all accounts");

  addCommand(
    holds,
    "list",
    "list holds, newest first",
    "inventory holds list",
    "inventory holds list 7k2mq0x4v9ab --state expired --limit 20",
  )
    .argument("[account-id]", "the account id; all accounts if absent")
    .addOption(holdStateOption())
    .addOption(limitOption(100))
    .action(lazy(environment, async () => (await import("./holds.ts")).listHolds));

  addCommand(holds, "show", "show one hold", "inventory holds show 7k2mq0x4v9ab cart-7")
    .argument("<account-id>", "the id of the account that owns the hold")
    .argument("<hold-id>", "the hold id")
    .action(lazy(environment, async () => (await import("./holds.ts")).getHold));

  addCommand(
    holds,
    "release",
    "end a hold and put its units back into stock",
    "inventory holds release 7k2mq0x4v9ab cart-7",
  )
    .argument("<account-id>", "the id of the account that owns the hold")
    .argument("<hold-id>", "the hold id")
    .action(lazy(environment, async () => (await import("./holds.ts")).releaseHold));
}

/** Returns the option of a list of holds for their state. */
export function holdStateOption(): Option {
  return new Option("--state <state>", "only holds in this state")
    .choices(holdStateWords)
    .default("active");
}
