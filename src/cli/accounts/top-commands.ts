import type { Command } from "commander";
import { addCommand, durationOption, lazy } from "../command-options.ts";
import type { Environment } from "../environment.ts";

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
    "inventory top --once --json",
    "inventory top --server https://inventory.example --admin http://10.0.0.5:9464",
  )
    .option("--admin <url>", "the admin port of the service", "http://127.0.0.1:9464")
    .addOption(
      durationOption("--interval <duration>", "time between two results").default(2_000, "2s"),
    )
    .option("--once", "print one result, for the first interval, and exit")
    .action(lazy(environment, async () => (await import("./top.ts")).top));
}
