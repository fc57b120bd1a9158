import { type Command, InvalidArgumentError, Option } from "commander";
import {
  addCommand,
  addReasonOptions,
  type CommonOptions,
  type StatusWord,
  statusArgument,
  statusOption,
} from "./command-options.ts";
import type { Environment } from "./environment.ts";
import { fileFormats } from "./file-format.ts";
import type { ExportOptions } from "./item-export.ts";
import type { HistoryOptions } from "./item-history.ts";
import type { ImportOptions } from "./item-import.ts";
import type { AdjustOptions, ItemOptions } from "./items.ts";
import { parseResumePoint } from "./resume-point.ts";

const fileForms = `A file is CSV with the header petId,quantity,status in any order, or NDJSON with lines such as
{"petId":5,"quantity":10,"status":"available"}.`;

/** Adds the commands about the catalogue and its stock. */
export function addItemCommands(program: Command, environment: Environment): void {
  const items = program.command("items").description("the pets in the inventory");

  addCommand(
    items,
    "import",
    `add the pets of a file, or set quantity and status of those that are there

${fileForms}
Every row is checked before the first is imported: with one bad row nothing is,
unless --skip-bad leaves bad rows out. With --server the rows go through a server
that runs, as the API key in INVENTORY_API_KEY, which needs the scope admin.

Ctrl-C (SIGINT) or SIGTERM stops the import after the rows that are being sent. An
import that was interrupted, or that failed, prints how many rows it has imported and
the --resume option that imports the rest. With that option no row is imported twice,
for 24 hours. The exit code is 130 after SIGINT, 143 after SIGTERM, 1 for a failure.

--dry-run prints every bad row and how many rows are good and bad. It connects to
nothing and imports nothing. The exit code is 1 when there are bad rows, unless
--skip-bad is given.`,
    "inventory items import stock.csv --dry-run",
    "inventory items import stock.csv",
    "zcat stock.ndjson.gz | inventory items import - --format ndjson --skip-bad",
    "inventory items import stock.csv --server https://inventory.example",
  )
    .argument("<file>", "the file; - for standard input")
    .addOption(formatOption())
    .option("--skip-bad", "import the good rows although there are bad ones")
    .option("--dry-run", "only check the file")
    .option("--server <url>", "send the rows to this server instead of writing them to Redis")
    .addOption(resumeOption())
    .action(async (file: string, options: ImportOptions) => {
      const { importItems } = await import("./item-import.ts");
      await importItems(environment, file, options);
    });

  addCommand(
    items,
    "export",
    `write all pets in a form that can be imported

${fileForms}
Standard output gets CSV unless --format says otherwise; with --json, one JSON array.
A file is written under a temporary name first and renamed when it is complete: an
export that fails or is interrupted leaves the file of before as it was.`,
    "inventory items export stock.csv",
    "inventory items export --format ndjson | gzip > stock.ndjson.gz",
  )
    .argument("[file]", "the file; standard output when it is - or absent")
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
    .requiredOption("--pet <pet-id>", "the pet's id")
    .requiredOption("--quantity <n>", "how many there are")
    .addOption(statusOption())
    .action(async (options: ItemOptions) => {
      const { createItem } = await import("./items.ts");
      await createItem(environment, options);
    });

  addReasonOptions(
    addCommand(
      items,
      "adjust",
      "add to the quantity of a pet, or take from it",
      "inventory items adjust 5 --by 3 --reason arrival --reference PO-17",
      "inventory items adjust 5 --by -1 --note 'Moved to the vet.'",
    )
      .argument("<pet-id>", "the pet")
      .requiredOption("--by <n>", "how many to add; to take, when it is negative"),
  ).action(async (pet: string, options: AdjustOptions) => {
    const { adjustItem } = await import("./items.ts");
    await adjustItem(environment, pet, options);
  });

  addCommand(
    items,
    "history",
    `tell what was changed, by whom and why, newest first

Of one pet: since it was added. Without a pet: of all of them.`,
    "inventory items history 5",
    "inventory items history --last 10 --json",
  )
    .argument("[pet-id]", "the pet; all of them when absent")
    .option("--last <n>", "so many changes, at most 1000", "100")
    .action(async (pet: string | undefined, options: HistoryOptions) => {
      const { itemHistory } = await import("./item-history.ts");
      await itemHistory(environment, pet, options);
    });

  addCommand(
    items,
    "set-status",
    "set the status of a pet; its quantity stays",
    "inventory items set-status 5 sold",
  )
    .argument("<pet-id>", "the pet")
    .addArgument(statusArgument())
    .action(async (pet: string, status: StatusWord, options: CommonOptions) => {
      const { setItemStatus } = await import("./items.ts");
      await setItemStatus(environment, pet, status, options);
    });

  addCommand(items, "remove", "remove a pet", "inventory items remove 5")
    .argument("<pet-id>", "the pet")
    .action(async (pet: string, options: CommonOptions) => {
      const { removeItem } = await import("./items.ts");
      await removeItem(environment, pet, options);
    });
}

function resumeOption(): Option {
  return new Option(
    "--resume <rows[:import]>",
    "leave out so many good rows: an import that was interrupted prints the value",
  ).argParser((text) => {
    const point = parseResumePoint(text);
    if (!point) {
      throw new InvalidArgumentError("It must be a whole number, or what an import has printed.");
    }
    return point;
  });
}

function formatOption(): Option {
  return new Option(
    "--format <format>",
    "the file's format, if its extension does not say",
  ).choices(fileFormats);
}
