import type { Command, Option } from "commander";
import { addCommand, choice, holdStateWords, lazy, limitOption } from "../command-options.ts";
import type { Environment } from "../environment.ts";

const load = () => import("./holds.ts");

/** Adds the `holds` commands. */
export function addHoldCommands(program: Command, environment: Environment): void {
  const holds = program.command("holds").description("show and release the holds of all accounts");

  addCommand(
    holds,
    "list [account-id]",
    "list holds, newest first",
    "inventory holds list",
    "inventory holds list 7k2mq0x4v9ab --state expired --limit 20",
  )
    .addOption(holdStateOption())
    .addOption(limitOption(100))
    .action(lazy(environment, async () => (await load()).listHolds));

  addCommand(holds, "show <account-id> <hold-id>", "show one hold").action(
    lazy(environment, async () => (await load()).getHold),
  );

  addCommand(
    holds,
    "release <account-id> <hold-id>",
    "end a hold and put its units back into stock",
  ).action(lazy(environment, async () => (await load()).releaseHold));
}

/** Returns the option of a list of holds for their state. */
export function holdStateOption(): Option {
  return choice("--state <state>", "only holds in this state", holdStateWords).default("active");
}
