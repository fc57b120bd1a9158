import { type Command, InvalidArgumentError, Option } from "commander";
import {
  addCommand,
  addReasonOptions,
  type CommonOptions,
  type StatusWord,
  statusArgument,
  statusOption,
  statusWords,
} from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { fileFormats } from "../output/file-format.ts";
import type { ImportOptions } from "./import/item-import.ts";
import { parseResumePoint } from "./import/resume-point.ts";
import type { ExportOptions } from "./item-export.ts";
import type { HistoryOptions } from "./item-history.ts";
import type { ListItemsOptions, SetOptions } from "./item-values.ts";
import type { WatchOptions } from "./item-watch.ts";
import type { AdjustOptions, ItemOptions } from "./items.ts";

const fileForms = `The file is CSV with the columns petId, quantity and status in any order, or NDJSON with lines
such as {"petId":5,"quantity":10,"status":"available"}.`;

/** Adds the `items` commands. */
export function addItemCommands(program: Command, environment: Environment): void {
  const items = program.command("items").description("manage the pets in the inventory");

  addCommand(
    items,
    "import",
    `add the pets in a file, or set the quantity and status of existing pets

${fileForms}
The command checks every row first. If a row is bad, it imports nothing, unless
--skip-bad is set. With --server the API key needs the scope admin.

Ctrl-C (SIGINT) or SIGTERM stops the import after the rows that are being sent. An
import that is interrupted or fails prints how many rows it imported, and the --resume
option that imports the rest. Within 24 hours, no row is then imported twice. The exit
code is 130 after SIGINT and 143 after SIGTERM.

--dry-run prints every bad row and the number of good and bad rows. It connects to
nothing and imports nothing. The exit code is 1 if there are bad rows, unless
--skip-bad is set.`,
    "inventory items import stock.csv --dry-run",
    "inventory items import stock.csv",
    "zcat stock.ndjson.gz | inventory items import - --format ndjson --skip-bad",
    "inventory items import stock.csv --server https://inventory.example",
  )
    .argument("<file>", "the file, or - for standard input")
    .addOption(formatOption())
    .option("--skip-bad", "import the good rows and skip the bad ones")
    .option("--dry-run", "only check the file")
    .addOption(resumeOption())
    .action(async (file: string, options: ImportOptions) => {
      const { importItems } = await import("./import/item-import.ts");
      await importItems(environment, file, options);
    });

  addCommand(
    items,
    "export",
    `write all pets to a file that \`items import\` can read

${fileForms}
Standard output gets CSV by default, and one JSON array with --json. A file is written
under a temporary name and renamed when it is complete: an export that fails or is
interrupted does not change an existing file.`,
    "inventory items export stock.csv",
    "inventory items export --format ndjson | gzip > stock.ndjson.gz",
  )
    .argument("[file]", "the file; standard output if it is - or absent")
    .addOption(formatOption())
    .action(async (file: string | undefined, options: ExportOptions) => {
      const { exportItems } = await import("./item-export.ts");
      await exportItems(environment, file, options);
    });

  addCommand(
    items,
    "create",
    "add a pet",
    "inventory items create --pet 5 --quantity 10 --status available",
  )
    .requiredOption("--pet <pet-id>", "the pet id")
    .requiredOption("--quantity <n>", "the quantity in stock, 0 to 2147483647")
    .addOption(statusOption())
    .action(async (options: ItemOptions) => {
      const { createItem } = await import("./items.ts");
      await createItem(environment, options);
    });

  addCommand(
    items,
    "list",
    "list pets by ascending id, with their quantities",
    "inventory items list",
    "inventory items list --status available --below 5",
  )
    .addOption(new Option("--status <status>", "only pets with this status").choices(statusWords))
    .option("--below <n>", "only pets with a quantity below this")
    .action(async (options: ListItemsOptions) => {
      const { listItems } = await import("./item-values.ts");
      await listItems(environment, options);
    });

  addCommand(items, "get", "show the quantity and status of a pet", "inventory items get 5")
    .argument("<pet-id>", "the pet id")
    .action(async (pet: string, options: CommonOptions) => {
      const { getItem } = await import("./item-values.ts");
      await getItem(environment, pet, options);
    });

  addReasonOptions(
    addCommand(
      items,
      "set",
      "set the quantity of a pet",
      "inventory items set 5 12",
      "inventory items set 5 12 --expect 10 --reason adjustment --note 'Counted again.'",
    )
      .argument("<pet-id>", "the pet id")
      .argument("<quantity>", "the new quantity, 0 to 2147483647")
      .option("--expect <n>", "set it only if this is the quantity now"),
  ).action(async (pet: string, quantity: string, options: SetOptions) => {
    const { setItem } = await import("./item-values.ts");
    await setItem(environment, pet, quantity, options);
  });

  addReasonOptions(
    addCommand(
      items,
      "adjust",
      "add to or subtract from the quantity of a pet",
      "inventory items adjust 5 --by 3 --reason arrival --reference PO-17",
      "inventory items adjust 5 --by -1 --note 'Moved to the vet.'",
    )
      .argument("<pet-id>", "the pet id")
      .requiredOption("--by <n>", "the amount to add; negative to subtract"),
  ).action(async (pet: string, options: AdjustOptions) => {
    const { adjustItem } = await import("./items.ts");
    await adjustItem(environment, pet, options);
  });

  addCommand(
    items,
    "history",
    `list changes with their reasons and API keys, newest first

With a pet id, lists the changes of that pet since it was added. Without one, lists
the changes of all pets.`,
    "inventory items history 5",
    "inventory items history --last 10 --json",
  )
    .argument("[pet-id]", "the pet id; all pets if absent")
    .option("--last <n>", "the number of changes, 1 to 1000", "100")
    .action(async (pet: string | undefined, options: HistoryOptions) => {
      const { itemHistory } = await import("./item-history.ts");
      await itemHistory(environment, pet, options);
    });

  addCommand(
    items,
    "watch",
    `show changes of the stock as they are made, until interrupted

On a terminal, shows the pets that changed last, and the state of the connection. Elsewhere,
or with --json or --output ndjson, prints each change as one line of JSON. The command
connects again after an outage.

Ctrl-C (SIGINT) or SIGTERM stops the command: exit code 0.`,
    "inventory items watch",
    "inventory items watch 5 --output ndjson --limit 1",
  )
    .argument("[pet-id]", "the pet id; all pets if absent")
    .addOption(
      new Option("--limit <n>", "exit after this many changes").argParser(parseChangeCount),
    )
    .action(async (pet: string | undefined, options: WatchOptions) => {
      const { watchItems } = await import("./item-watch.ts");
      await watchItems(environment, pet, options);
    });

  addCommand(
    items,
    "set-status",
    "set the status of a pet; its quantity does not change",
    "inventory items set-status 5 sold",
  )
    .argument("<pet-id>", "the pet id")
    .addArgument(statusArgument())
    .action(async (pet: string, status: StatusWord, options: CommonOptions) => {
      const { setItemStatus } = await import("./items.ts");
      await setItemStatus(environment, pet, status, options);
    });

  addCommand(items, "remove", "remove a pet", "inventory items remove 5")
    .argument("<pet-id>", "the pet id")
    .action(async (pet: string, options: CommonOptions) => {
      const { removeItem } = await import("./items.ts");
      await removeItem(environment, pet, options);
    });
}

function parseChangeCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new InvalidArgumentError("It must be an integer from 1 to 999999999.");
  }
  return Number(text);
}

function resumeOption(): Option {
  return new Option(
    "--resume <rows[:import]>",
    "skip this many good rows; an interrupted import prints the value",
  ).argParser((text) => {
    const point = parseResumePoint(text);
    if (!point) {
      throw new InvalidArgumentError(
        "It must be a whole number, or the value that an interrupted import printed.",
      );
    }
    return point;
  });
}

function formatOption(): Option {
  return new Option(
    "--format <format>",
    "the format of the file; by default that of its extension",
  ).choices(fileFormats);
}
