import { Command, CommanderError } from "commander";
import { addAccountCommands } from "./account-commands.ts";
import { CommandError } from "./command-error.ts";
import { addCommand } from "./command-options.ts";
import type { Environment } from "./environment.ts";
import { addHistoryCommands } from "./history-commands.ts";
import { addItemCommands } from "./item-commands.ts";
import { addKeyCommands } from "./key-commands.ts";
import { errorLine } from "./output.ts";

/**
 * Runs a command line.
 *
 * @param args its words, without the program's name
 * @returns the exit code: 1 when the command failed, 2 when the command line is wrong
 */
export async function run(args: readonly string[], environment: Environment): Promise<number> {
  // Known before the command line is understood: it may be what can't be understood.
  const asJson = args.includes("--json");
  try {
    await createProgram(environment, asJson).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return report(error, environment, asJson);
  }
}

function createProgram(environment: Environment, asJson: boolean): Command {
  const { env, stdout, stderr } = environment;
  // These settings are inherited by the commands: they come first.
  const program = new Command("inventory")
    .description(
      "Runs the inventory service and administers it. All commands but `serve` work on the Redis that REDIS_URL names, whether or not the service runs.",
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, writeErr) => asJson || writeErr(text),
    });
  if (!asJson) {
    program.showHelpAfterError("(add --help to see how it is used)");
  }
  addCommand(
    program,
    "serve",
    "run the service\n\nSettings are environment variables. Without REDIS_URL everything is kept in memory.",
    "REDIS_URL=redis://127.0.0.1:6379 inventory serve",
  ).action(async () => {
    const { serve } = await import("../serve.ts");
    await serve(env);
  });
  addAccountCommands(program, environment);
  addKeyCommands(program, environment);
  addItemCommands(program, environment);
  addHistoryCommands(program, environment);
  return program;
}

function report(error: unknown, { stderr }: Environment, asJson: boolean): number {
  if (error instanceof CommanderError) {
    // Commander has told it already, but not as JSON.
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

/** Whoever read the output has seen enough. */
function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}
