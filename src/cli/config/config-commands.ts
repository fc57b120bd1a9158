import type { Command } from "commander";
import { commandsOf } from "../command-options.ts";
import type { Environment } from "../environment.ts";

/** Adds the `config` commands. */
export function addConfigCommands(program: Command, environment: Environment): void {
  const config = program.command("config").description("check and show the settings");
  const add = commandsOf(config, environment, () => import("./config.ts"), "redis");

  add(
    "check",
    `check all settings, and the files that they name

Prints a line for each fault. The exit code is 1 if there are any. The service checks the
same when it starts. The command connects to nothing.`,
    (module) => module.checkConfig,
    [],
    "inventory config check",
    "CONFIG_FILE=/etc/inventory.env inventory config check",
  );

  add(
    "show",
    `show all settings, their values and their sources

A source is the environment, a file or the default. Passwords are not shown. If a setting is
invalid, the exit code is 1.`,
    (module) => module.showConfig,
    [],
    "inventory config show",
    "inventory config show -o json",
  );
}
