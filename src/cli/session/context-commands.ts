import type { Command } from "commander";
import { addLocalCommand, lazy, limitOption } from "../command-options.ts";
import type { Environment } from "../environment.ts";

/** Adds the commands that save servers with their API keys. */
export function addContextCommands(program: Command, environment: Environment): void {
  addLocalCommand(
    program,
    "login",
    `save the URL and an API key of a server, and use them from now on

The command asks for the key without echo, or reads it from standard input. It checks the key
with one request, and saves it in $XDG_CONFIG_HOME/inventory/contexts.json (by default
~/.config), which only you can read.

\`inventory --help\` says when commands use that server.`,
    "inventory login https://inventory.example",
    "inventory login http://127.0.0.1:8080 --name local < key.txt",
  )
    .argument("<url>", "base URL of the server")
    .option("--name <name>", "a name for the context, instead of the host and port of the URL")
    .option(
      "--ca-file <file>",
      "a PEM file with the authority of the server's certificate, which is saved, too",
    )
    .action(lazy(environment, async () => (await import("./login.ts")).login));

  addLocalCommand(
    program,
    "logout",
    "delete the API key of a server from this machine; the key remains valid",
    "inventory logout",
    "inventory logout local",
  )
    .argument("[context]", "name of the context; the current one if absent")
    .action(lazy(environment, async () => (await import("./login.ts")).logout));

  const contexts = program
    .command("contexts")
    .description("list and choose the servers of `login`");

  addLocalCommand(contexts, "list", "list the servers of `login`", "inventory contexts list")
    .addOption(limitOption())
    .action(lazy(environment, async () => (await import("./login.ts")).listContexts));

  addLocalCommand(contexts, "use", "choose the current server", "inventory contexts use local")
    .argument("<context>", "name of the context")
    .action(lazy(environment, async () => (await import("./login.ts")).selectContext));
}
