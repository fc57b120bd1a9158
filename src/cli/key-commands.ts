import { Argument, type Command } from "commander";
import { scopes } from "../access/scopes.ts";
import { addCommand, type CommonOptions, durationOption, listOption } from "./command-options.ts";
import type { Environment } from "./environment.ts";
import type { KeyOptions, ListKeysOptions, RotateOptions } from "./keys.ts";

/** Adds the commands about API keys. */
export function addKeyCommands(program: Command, environment: Environment): void {
  const keys = program.command("keys").description("the API keys of accounts");

  addCommand(
    keys,
    "create",
    "make an API key\n\nThe key itself is shown once: it is not kept. Without --scope it has all scopes but inventory:audit and admin.\ninventory:audit shows who made each change of the stock, and why: account, key, request, note and reference.",
    "inventory keys create --account 7k2mq0x4v9ab --name checkout",
    "inventory keys create --account 7k2mq0x4v9ab --scope inventory:read,store:read --expires 30d",
  )
    .requiredOption("--account <id>", "the account that the key is for")
    .option("--name <name>", "its name, for people")
    .addOption(
      listOption("--scope <scope>", `what the key may do, repeatable: ${scopes.join(", ")}`),
    )
    .addOption(
      durationOption("--expires <duration>", "for how long the key is valid, else forever"),
    )
    .action(async (options: KeyOptions) => {
      const { createKey } = await import("./keys.ts");
      await createKey(environment, options);
    });

  addCommand(
    keys,
    "list",
    "list the keys of an account, oldest first, with their last use and bans",
    "inventory keys list 7k2mq0x4v9ab",
  )
    .addArgument(new Argument("[account]", "the account; or say it with --account"))
    .option("--account <id>", "the account")
    .action(async (account: string | undefined, options: ListKeysOptions) => {
      const { listKeys } = await import("./keys.ts");
      await listKeys(environment, account, options);
    });

  addCommand(
    keys,
    "revoke",
    "end a key, from its very next request on",
    "inventory keys revoke 7k2mq0x4v9ab3h8rt1zc",
  )
    .argument("<key-id>", "the key's id; not the key itself")
    .action(async (keyId: string, options: CommonOptions) => {
      const { revokeKey } = await import("./keys.ts");
      await revokeKey(environment, keyId, options);
    });

  addCommand(
    keys,
    "rotate",
    "replace a key by a new one with the same name and scopes\n\nThe new key is shown once: it is not kept. The old one stays valid for a grace time.",
    "inventory keys rotate 7k2mq0x4v9ab3h8rt1zc --grace 7d",
  )
    .argument("<key-id>", "the old key's id; not the key itself")
    .addOption(
      durationOption(
        "--grace <duration>",
        "for how long the old key stays valid, 24h when not said, at most 366d",
      ),
    )
    .action(async (keyId: string, options: RotateOptions) => {
      const { rotateKey } = await import("./keys.ts");
      await rotateKey(environment, keyId, options);
    });

  addCommand(
    keys,
    "unban",
    "lift a key's ban and forget the bans before it",
    "inventory keys unban 7k2mq0x4v9ab3h8rt1zc",
  )
    .argument("<key-id>", "the key's id; not the key itself")
    .action(async (keyId: string, options: CommonOptions) => {
      const { unbanKey } = await import("./keys.ts");
      await unbanKey(environment, keyId, options);
    });
}
