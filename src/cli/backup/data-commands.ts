import type { Command } from "commander";
import { argument, commandsOf, option } from "../command-options.ts";
import type { Environment } from "../environment.ts";

export function addDataCommands(program: Command, environment: Environment): void {
  commandsOf(program, environment, () => import("./backup.ts"), "redis")(
    "backup",
    `save all data to a file, while the service runs

The file has the stock, orders, holds and history as they are at one version of the stock. Accounts,
API keys, the audit trail, and the approval and delivery of orders can be from a little later. The
file has no counters of limits, and no stored responses to requests with idempotency keys. It has
the hashes of API keys, but no key.

The file is gzip of NDJSON with a checksum. It is written under a temporary name and renamed
when it is complete: a backup that fails or is interrupted does not change an existing file.
During the backup, temporary files with items, orders and holds are in TMPDIR.

The command reads the data itself and no index of it, so the file has all data although an index is
damaged. If entries of the history or the audit trail are missing, the command saves nothing. To
save what is left, use --force.`,
    "backup",
    argument("<file>", "the file"),
    option("--force", "save what can be found, although the backup lacks data"),
    "inventory backup inventory.ndjson.gz",
  );

  commandsOf(program, environment, () => import("./restore.ts"), "redis")(
    "restore",
    `write a backup into an empty Redis

The command checks the whole file first: it writes nothing if the file is truncated or
damaged, or if Redis is not empty. No process of the service can start until the restore is
complete. After an interruption, run the command again: it starts from the beginning.

All versions are new: entity tags, resume tokens and expected versions
from before the restore do not match.`,
    "restore",
    argument("<file>", "the backup, or - for standard input"),
    option("--force", "restore a backup although its records do not agree with each other"),
    "inventory restore inventory.ndjson.gz",
  );

  commandsOf(program, environment, () => import("./verify.ts"), "redis")(
    "verify",
    `check whether all data agrees: items, history, orders, holds, accounts, audit trail

Without a file, checks the data in Redis, while the service runs. Prints a line for each
disagreement. The exit code is 1 if there are any.

With --repair, writes again what follows from other data, as a failover of Redis can have lost it:
adds missing entries to indexes, removes entries without data, completes deletions, and corrects
counts. The service can run in the meantime. The command can be interrupted and run again. The exit
code is 1 if a disagreement is left.`,
    "verify",
    argument("[file]", "a backup, or - for standard input; the data in Redis if absent"),
    option("--repair", "repair the data in Redis where other data says what is right"),
    "inventory verify",
    "inventory verify inventory.ndjson.gz",
    "inventory verify --repair",
  );

  commandsOf(program, environment, () => import("../config/config.ts"), "redis")(
    "redis-acl",
    `print a line for the ACL file of Redis

The line defines a user that may use exactly the commands and keys that the service and this
command line use. Without --password-file, the user cannot log in until it has a password.
Redis does not start if the file has another line for the user: replace that line.`,
    "redisAcl",
    option("--user <name>", "the name of the user").default("inventory"),
    option("--password-file <file>", "a file with the password; the line has its SHA-256"),
    "inventory redis-acl --password-file redis-password >> /etc/redis/users.acl",
  );
}

export function addConfigCommands(program: Command, environment: Environment): void {
  const config = program.command("config").description("check and show the settings");
  const add = commandsOf(config, environment, () => import("../config/config.ts"), "redis");

  add(
    "check",
    `check all settings, and the files that they name

Prints a line for each fault. The exit code is 1 if there are any. The service checks the
same when it starts. The command connects to nothing.`,
    "checkConfig",

    "inventory config check",
    "CONFIG_FILE=/etc/inventory.env inventory config check",
  );

  add(
    "show",
    `show all settings, their values and their sources

A source is the environment, a file or the default. Passwords are not shown. If a setting is
invalid, the exit code is 1.`,
    "showConfig",

    "inventory config show",
    "inventory config show -o json",
  );
}
