import type { Command, Option } from "commander";
import { commandsOf, limitOption, option, parsedOption } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { followTerms, placeText } from "../follow/follow-commands.ts";
import { durationForms, parseDuration, parseTime, timeForms } from "../output/time.ts";

export function addAuditCommands(program: Command, environment: Environment): void {
  const now = Date.now();
  const audit = program
    .command("audit")
    .description("read the audit trail of administrative calls and commands");

  commandsOf(audit, environment, () => import("./audit-list.ts"))(
    "list",
    `list entries of the audit trail, newest first

The trail has the calls of AdminService, the changes of CatalogService, and the changes that this
command line makes in Redis. A
change has two entries, which are one row. --limit counts entries. "no result" means that the change
is running, or that its result could not be written: the change may have been made.`,
    "listTrail",
    timeOption("--after", "only entries since this time", now),
    timeOption("--before", "only entries before this time", now),
    option("--actor <id>", "only entries of this key, account, user or user@host"),
    option("--method <name>", "only entries of this method or command"),
    limitOption(100),
    "inventory audit list --after 24h",
    "inventory audit list --method RevokeKey -o ndjson",
  );

  commandsOf(audit, environment, () => import("./audit-follow.ts"), "redis")(
    "follow",
    `print every entry of the audit trail, until interrupted

Each entry is one line of JSON.
${placeText("entries", "AUDIT_LENGTH")}`,
    "followTrail",
    followTerms("entries"),
    "inventory audit follow archive --from-beginning >> audit.ndjson",
  );
}

/** @param now when the command begins, in milliseconds since the epoch */
function timeOption(name: string, description: string, now: number): Option {
  return parsedOption(
    `${name} <time>`,
    `${description} (UTC without a zone), or this long ago. Examples: 2026-07-15T10:20:00Z, 24h`,
    (text) => {
      const ago = parseDuration(text);
      return ago === undefined ? parseTime(text) : now - ago;
    },
    `a time such as ${timeForms}, or a duration such as ${durationForms}`,
  );
}
