import type { Argument, Command, Option } from "commander";
import { maxQuantity } from "../../stores/inventory-store.ts";
import {
  argument,
  commandsOf,
  countOption,
  option,
  repeatedOption,
  statusWords,
} from "../command-options.ts";
import type { Environment } from "../environment.ts";

export function addHistoryCommands(program: Command, environment: Environment): void {
  const history = program.command("history").description("hand on the history of the stock");

  commandsOf(history, environment, () => import("./history-records.ts"), "redis")(
    "follow",
    `print every change of the stock, until interrupted

Each change is one line of JSON with all fields, including the account, the key and the reason.
${placeText("changes", "HISTORY_LENGTH, HISTORY_DAYS")}`,
    "followHistory",
    followTerms("changes"),
    "inventory history follow archive --from-beginning >> changes.ndjson",
    "inventory history follow archive --once >> changes.ndjson",
  );

  commandsOf(history, environment, () => import("./relay.ts"), "redis")(
    "relay",
    `send every change of the stock to a URL as a webhook, until interrupted

The receiver gets each change at least once and in order, signed as Standard Webhooks defines. A
response of 2xx confirms a change. After any other, or after 15 s, the command tries again, with
growing delays of up to 5 minutes, or after Retry-After, of up to an hour. 410 ends the command:
exit code 9.
${placeText("changes", "HISTORY_LENGTH, HISTORY_DAYS")}

The log is on standard output. LOG_LEVEL and ADMIN_ADDR are those of the service.`,
    "relayHistory",
    placeTerms("changes"),
    option("--to <url>", "the URL of the receiver").makeOptionMandatory(),
    option("--secret-file <file>", "file with the secret, instead of the variable RELAY_SECRET"),
    countOption(
      "--below <n>",
      "only changes by which a quantity of at least n becomes less than n",
      maxQuantity,
    ),
    option(
      "--status <status>",
      "only changes of pets with this status before or after",
      statusWords,
    ),
    repeatedOption("--reason <reason>", "only changes for this reason, such as sale"),
    "inventory history relay erp --to https://erp.example/hooks --secret-file erp.secret",
    "inventory history relay reorder --to https://erp.example/low --below 5 --status available",
  );
}

/** Says in the help of a command where it begins. @param records what it hands on, such as `changes` */
export function placeText(records: string, settings: string): string {
  return `
The command keeps its place in Redis under the name, and continues there. It can repeat its last
${records} after it was killed, or Redis was gone. Only one process can have a name: others wait until it ends. A name
without a place begins with new ${records}, or with --from-beginning with the oldest ones. If
${records} after the place are lost (${settings}, or a restore), the command ends: exit
code 3.

Ctrl-C (SIGINT) or SIGTERM stops the command: exit code 0.`;
}

export function followTerms(records: string): (Argument | Option)[] {
  return [...placeTerms(records), option("--once", `print the ${records} so far, then exit`)];
}

function placeTerms(records: string): (Argument | Option)[] {
  return [
    argument("<name>", "the name of the place"),
    option("--from-beginning", `if the name has no place, begin with the oldest ${records}`),
    option("--from-now", `set the place to now: earlier ${records} are skipped`),
  ];
}
