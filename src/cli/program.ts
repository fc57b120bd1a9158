import { Command, CommanderError, Help, Option } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import type { ServeOptions } from "../app/life.ts";
import {
  addAccountCommands,
  addKeyCommands,
  addTopCommand,
  addUsageCommands,
} from "./accounts/account-commands.ts";
import { addAuditCommands } from "./audit/audit-commands.ts";
import { addConfigCommands, addDataCommands } from "./backup/data-commands.ts";
import { CommandError } from "./command-error.ts";
import {
  addCommand,
  argument,
  type CompletionShell,
  commandsOf,
  commonOptions,
  completionShells,
  describe,
  option,
} from "./command-options.ts";
import type { Environment, OutputFormat } from "./environment.ts";
import { addHistoryCommands } from "./follow/follow-commands.ts";
import { addItemCommands } from "./items/item-commands.ts";
import { rejectApiKeys, rejectMistakenIds } from "./mistaken-ids.ts";
import { addStoreCommands } from "./orders/store-commands.ts";
import { errorLine, hasColors, visible, widthOf } from "./output/output.ts";
import { control, print } from "./output/terminal.ts";
import { sourceOfField } from "./session/field-sources.ts";

/** Runs a command line, without the name of the program. @returns the exit code, one of `exitCodes` */
export async function run(args: readonly string[], environment: Environment): Promise<number> {
  // Read before the command line is parsed, because parsing may fail.
  const jsonErrors = wantsJson(args);
  // Inherits, because reading standard input opens it, which keeps the process alive.
  const own: Environment = Object.assign(Object.create(environment), { jsonErrors });
  try {
    rejectApiKeys(args);
    const program = createProgram(own);
    program.hook("preAction", (_, command) => {
      rejectMistakenIds(command);
      const { server, limit, output: format } = command.opts<CommonOptions>();
      const sourceOf = (field: string) => sourceOfField(command, field);
      Object.assign(own, { server, limit, format, sourceOf });
    });
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return printError(error, own);
  }
}

interface CommonOptions {
  readonly server?: string;
  readonly limit?: number;
  readonly output?: OutputFormat;
}

/** Whether a command line asks for JSON, and so for errors as JSON. */
function wantsJson(args: readonly string[]): boolean {
  const form = /^(?:-o ?|--output[ =])(?:nd)?json$/;
  return args.some((arg, at) => form.test(arg) || form.test(`${arg} ${args[at + 1]}`));
}

export function createProgram(environment: Environment): Command {
  const { env, stdout, stderr, jsonErrors = false } = environment;
  // Commands inherit these settings, so they must be set before the commands are added.
  const program = new Command("inventory")
    .description(
      "Run and administer the inventory service.\n\nCommands use the Redis of the service directly, or call a running service. They use the first of these that is set: --server, INVENTORY_SERVER, REDIS_URL. The key for a server is in INVENTORY_API_KEY, or in the file that INVENTORY_API_KEY_FILE names.",
    )
    .version(packageJson.version, "--version", "print the version")
    .addHelpOption(new Option("-h, --help", "print this help").helpGroup(commonOptions))
    .configureHelp({
      groupItems: commonOptionsLast,
      optionDescription: describe,
      argumentDescription: describe,
      minWidthToWrap: 20,
    })
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => widthOf(environment),
      getErrHelpWidth: () => widthOf(environment),
      writeOut: (text) => print(stdout, text),
      writeErr: (text) => print(stderr, text),
      outputError: (text, writeErr) => jsonErrors || writeErr(visible(text)),
    });
  if (!jsonErrors) program.showHelpAfterError("(add --help for usage)");
  const loadServe = async () => {
    const { serve } = await import("../app/serve.ts");
    return {
      serve: (_: Environment, { withSample = false }: Partial<ServeOptions>) =>
        serve(env, { withSample }),
    };
  };
  commandsOf(program, environment, loadServe, "redis")(
    "serve",
    "run the service\n\nSettings are environment variables. Without REDIS_URL, the service keeps all data in memory.",
    "serve",
    option("--with-sample", "load sample data if Redis is empty"),
    "REDIS_URL=redis://127.0.0.1:6379 inventory serve",
  );
  addAccountCommands(program, environment);
  addKeyCommands(program, environment);
  addItemCommands(program, environment);
  addStoreCommands(program, environment);
  addUsageCommands(program, environment);
  addHistoryCommands(program, environment);
  addAuditCommands(program, environment);
  addTopCommand(program, environment);
  addDataCommands(program, environment);
  addConfigCommands(program, environment);
  addCompletionCommand(program, environment);
  return program;
}

const help = new Help();

const commonOptionsLast: Help["groupItems"] = (...items) => {
  const groups = help.groupItems(...items);
  const common = groups.get(commonOptions);
  if (!common) return groups;
  groups.delete(commonOptions);
  return groups.set(commonOptions, common);
};

function addCompletionCommand(program: Command, environment: Environment): void {
  addCommand(
    program,
    "completion",
    `print a script that completes command lines in a shell

For bash, add the first example to ~/.bashrc. For zsh, add the second example to ~/.zshrc after
compinit. For fish, run the third example once, and again after an update.`,
    [
      "source <(inventory completion bash)",
      "source <(inventory completion zsh)",
      "inventory completion fish > ~/.config/fish/completions/inventory.fish",
    ],
  )
    .addArgument(argument("<shell>", "the shell", completionShells))
    .action(async (shell: CompletionShell) => {
      const { printCompletion } = await import("./completion/completion.ts");
      await printCompletion(environment, program, shell);
    });
}

function printError(error: unknown, environment: Environment): number {
  const { stderr, env, jsonErrors = false } = environment;
  // The end of the work failed too, such as the closing of a file. The first error says why.
  if (error instanceof SuppressedError) return printError(error.suppressed, environment);
  if (error instanceof CommanderError) {
    // Commander has printed the error already, unless it should be JSON.
    if (jsonErrors && error.exitCode !== 0 && error.code !== "commander.help") {
      const message = error.message.replace(/^error: /, "");
      print(stderr, errorLine(environment, "invalid_argument", message));
    }
    return error.exitCode === 0 ? 0 : 2;
  }
  // The reader of the output has closed the pipe, as `head` does.
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return 0;
  const message = error instanceof Error ? error.message : String(error);
  const known =
    error instanceof CommandError ? error : { code: "unknown", exitCode: 1, request: undefined };
  const line = errorLine(environment, known.code, message, known.request);
  const [title, rest] = [line.slice(0, "error:".length), line.slice("error:".length)];
  if (jsonErrors || !hasColors(stderr, env)) print(stderr, line);
  else print(stderr, [control.red, title, control.notRed, rest]);
  return known.exitCode;
}
