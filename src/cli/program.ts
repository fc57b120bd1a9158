import { Command, CommanderError } from "commander";
import { addAccountCommands } from "./account-commands.ts";
import { addAuditCommands } from "./audit-commands.ts";
import { CommandError } from "./command-error.ts";
import { addLocalCommand } from "./command-options.ts";
import { addConfigCommands } from "./config-commands.ts";
import { addDataCommands } from "./data-commands.ts";
import type { Environment } from "./environment.ts";
import { addHistoryCommands } from "./history-commands.ts";
import { addItemCommands } from "./item-commands.ts";
import { addKeyCommands } from "./key-commands.ts";
import { errorLine } from "./output.ts";

/**
 * Runs a command line.
 *
 * @param args the arguments, without the name of the program
 * @returns the exit code: 0 for success, 2 for a wrong command line, else that of the {@link CommandError}, or 1
 */
export async function run(args: readonly string[], environment: Environment): Promise<number> {
  // Read before the command line is parsed, because parsing may fail.
  const asJson = args.includes("--json");
  const chosen: Chosen = {};
  try {
    const program = createProgram(withChosen(environment, chosen), asJson);
    program.hook("preAction", (_, command) => {
      Object.assign(chosen, command.opts<Chosen>());
    });
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return printError(error, environment, asJson);
  }
}

/** Options that any command can have. */
interface Chosen {
  readonly server?: string;
}

/** Returns the environment with the options that the command line will have set when a command begins. */
function withChosen(environment: Environment, chosen: Chosen): Environment {
  const { env, stdout, stderr, isTTY } = environment;
  return {
    env,
    // Read only by commands that need it: opening standard input keeps the process alive.
    get stdin() {
      return environment.stdin;
    },
    stdout,
    stderr,
    isTTY,
    get server() {
      return chosen.server;
    },
  };
}

function createProgram(environment: Environment, asJson: boolean): Command {
  const { env, stdout, stderr } = environment;
  // Commands inherit these settings, so they must be set before the commands are added.
  const program = new Command("inventory")
    .description(
      "Run and administer the inventory service.\n\nCommands use the Redis in REDIS_URL, and the service need not be running. With --server they call a running service instead, with the API key in INVENTORY_API_KEY.",
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, writeErr) => asJson || writeErr(text),
    });
  if (!asJson) {
    program.showHelpAfterError("(add --help for usage)");
  }
  addLocalCommand(
    program,
    "serve",
    "run the service\n\nSettings are environment variables. Without REDIS_URL the service keeps all data in memory.",
    "REDIS_URL=redis://127.0.0.1:6379 inventory serve",
  ).action(async () => {
    const { serve } = await import("../serve.ts");
    await serve(env);
  });
  addAccountCommands(program, environment);
  addKeyCommands(program, environment);
  addItemCommands(program, environment);
  addHistoryCommands(program, environment);
  addAuditCommands(program, environment);
  addDataCommands(program, environment);
  addConfigCommands(program, environment);
  return program;
}

function printError(error: unknown, { stderr }: Environment, asJson: boolean): number {
  if (error instanceof CommanderError) {
    // Commander has printed the error already, unless it should be JSON.
    if (asJson && error.exitCode !== 0 && error.code !== "commander.help") {
      stderr.write(errorLine("invalid_argument", error.message.replace(/^error: /, ""), asJson));
    }
    return error.exitCode === 0 ? 0 : 2;
  }
  if (isBrokenPipe(error)) {
    return 0;
  }
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof CommandError ? error : { code: "unknown", exitCode: 1 };
  stderr.write(errorLine(known.code, message, asJson));
  return known.exitCode;
}

/** Whether the reader of the output has closed the pipe, as `head` does. */
function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}
