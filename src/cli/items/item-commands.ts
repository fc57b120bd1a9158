import type { Command, Option } from "commander";
import {
  argument,
  commandsOf,
  countOption,
  limitOption,
  option,
  parsedOption,
  reasonWords,
  repeatedOption,
  statusWords,
} from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { holdStateOption } from "../orders/store-commands.ts";
import { fileFormats } from "../output/file-format.ts";
import { parseResumePoint } from "./import/resume-point.ts";

const fileForms = `The file is CSV with the columns petId, quantity and status, NDJSON with lines
such as {"petId":5,"quantity":10,"status":"available"}, or a JSON array of such objects. It can
also have name and sku.`;

const rowsAtOnce = `The command sends 1,000 rows at
a time, by pet id, each time all or none. If a server refuses rows because of the limit of a minute, the command waits.`;

export function addItemCommands(program: Command, environment: Environment): void {
  const items = program.command("items").description("manage the pets in the inventory");
  addFileCommands(items, environment);
  addCommandsOfItems(items, environment);
}

function addFileCommands(items: Command, environment: Environment): void {
  commandsOf(items, environment, () => import("./import/item-import.ts"))(
    "import",
    `add the pets in a file, or set the quantity, status, name and SKU of existing pets

${fileForms}
CSV columns can have any order. A pet keeps its name or SKU if the row has none; in JSON, ""
removes it. \`items list --output\` prints these forms, too. The command checks every row first.
If a row is bad, it imports nothing, unless --skip-bad is set. With --server, the API key needs the
scope catalog:write.

Ctrl-C (SIGINT) or SIGTERM stops the import after the rows that are being sent. An import that
is interrupted or fails prints how many rows it imported, and the --resume option that imports
the other rows. Within 24 hours, that option imports no row twice.

The service can refuse a row, such as one with the SKU of another pet, or a quantity that is too
large together with held units. The error names it. Correct the file, or add --skip-bad, and
continue with --resume.

--dry-run prints every bad row and the number of good and bad rows. It connects to nothing and
imports nothing. The exit code is 1 if there are bad rows, unless --skip-bad is set.`,
    "importItems",
    argument("<file>", "the file, or - for standard input"),
    formatOption(),
    option("--skip-bad", "import the good rows and skip the bad ones"),
    option("--dry-run", "only check the file"),
    parsedOption(
      "--resume <rows[:import]>",
      "skip this many good rows; an interrupted import prints the value",
      parseResumePoint,
      "a whole number, or the value that an interrupted import printed",
    ),
    "inventory items import stock.csv --dry-run",
    "inventory items import stock.csv",
    "zcat stock.ndjson.gz | inventory items import - --format ndjson --skip-bad",
    "inventory items import stock.csv --server https://inventory.example",
  );
  commandsOf(items, environment, () => import("./item-export.ts"))(
    "export",
    `write all pets to a file that \`items import\` can read

${fileForms}
Standard output gets CSV, or the format of --output. A file is written
under a temporary name and renamed when it is complete: an export that fails or is
interrupted does not change an existing file.`,
    "exportItems",
    argument("[file]", "the file; standard output if it is - or absent"),
    formatOption(),
    "inventory items export stock.csv",
    "inventory items export -o ndjson | gzip > stock.ndjson.gz",
  );
}

function addCommandsOfItems(items: Command, environment: Environment): void {
  const add = commandsOf(items, environment, () => import("./items.ts"));
  add(
    "create <pet-id>",
    "add a pet",
    "createItem",
    option("--quantity <n>", "the quantity in stock, 0 to 2147483647").makeOptionMandatory(),
    option("--status <status>", "the pet's status", statusWords).makeOptionMandatory(),
    option("--name <text>", "what people call the pet, up to 200 characters"),
    option("--sku <code>", "the pet's SKU, up to 64 printable ASCII characters"),
    "inventory items create 5 --quantity 10 --status available",
    "inventory items create 6 --quantity 4 --status available --name Hamster --sku SM-106",
  );
  add(
    "list",
    "list pets by ascending id, with their names and quantities",
    "listItems",
    argument("[pet-id...]", "the pet ids, at most 100; all pets if absent"),
    repeatedOption("--sku <code>", "the SKU of a pet to list"),
    selection(""),
    limitOption(),
    "inventory items list",
    "inventory items list --status available --max 4",
    "inventory items list 2 5 9 --min 1",
    "inventory items list --sku FI-501 --sku BI-201",
  );
  add(
    "levels",
    "list the units of pets that are for sale, held, and on the shelf",
    "listLevels",
    argument("[pet-id...]", "the pet ids, at most 100; all pets if absent"),
    repeatedOption("--sku <code>", "the SKU of a pet to list"),
    limitOption(),
    "inventory items levels",
    "inventory items levels 2 5 -o csv",
  );
  add(
    "show <pet-id>",
    "show the name, SKU, quantity and status of a pet",
    "getItem",
    "inventory items show 5",
    "inventory items show --sku FI-501",
  );
  add(
    "set <pet-id>",
    "set the quantity of a pet",
    "setItem",
    argument("<quantity>", "the new quantity, 0 to 2147483647"),
    option("--expect <n>", "set it only if this is the quantity now"),
    reason(),
    "inventory items set 5 12",
    "inventory items set 5 12 --expect 10 --reason adjustment --note 'Counted again.'",
    "inventory items set --sku FI-501 12",
  );
  add(
    "adjust <pet-id>",
    "add to or subtract from the quantity of a pet",
    "adjustItem",
    option("--by <n>", "the amount to add; negative to subtract").makeOptionMandatory(),
    reason(),
    "inventory items adjust 5 --by 3 --reason arrival --reference PO-17",
    "inventory items adjust 5 --by -1 --note 'Moved to the vet.'",
  );
  const addMany = commandsOf(items, environment, () => import("./unit-changes.ts"));
  addMany(
    "receive",
    `add the pets of a delivery to the stock

Give rows such as 5=10, which adds 10 to pet 5, or a CSV file with the columns petId or sku, and delta. ${rowsAtOnce}
The same rows with the same reason, note and reference change nothing when they are sent again within 24 hours of the first
time, so repeat what failed.`,
    "receiveItems",
    argument("[row...]", "pet ids and the amounts to add"),
    rowOptions("delta"),
    reason("arrival"),
    "inventory items receive 5=10 7=3 --reference PO-17",
    "inventory items receive --sku FI-501=10 --sku BI-201=3",
    "inventory items receive --file delivery.csv --reference PO-18",
  );
  addMany(
    "count",
    `record how many units of pets stand on the shelf

Give rows such as 5=12, or a CSV file with the columns petId or sku, and counted. Count held units too: they stand on the
shelf until their orders leave. The quantity for sale becomes the counted units without the held ones. ${rowsAtOnce}
If it fails, send the same count again.`,
    "countItems",
    argument("[row...]", "pet ids and the counted units"),
    rowOptions("counted"),
    noteOptions(),
    "inventory items count 5=12 7=0 --note 'Annual count'",
    "inventory items count --file shelf.csv --reference C-17",
  );
  commandsOf(items, environment, () => import("./item-history.ts"))(
    "history [pet-id]",
    `list changes with their reasons and API keys, newest first

With a pet id, lists the changes of that pet since it was added. Without one, lists
the changes of all pets.`,
    "itemHistory",
    limitOption(100),
    "inventory items history 5",
    "inventory items history --limit 10 -o json",
  );
  commandsOf(items, environment, () => import("./item-watch.ts"))(
    "watch [pet-id]",
    `show changes of the stock as they are made, until interrupted

On a terminal, shows the pets that changed last, and the state of the connection. Elsewhere,
or with --output json, prints each change as one line of JSON. The command
connects again after an outage.

Ctrl-C (SIGINT) or SIGTERM stops the command: exit code 0.`,
    "watchItems",
    selection(" before or after a change"),
    countOption("--limit <n>", "exit after this many changes", 999_999_999),
    "inventory items watch",
    "inventory items watch 5 -o json --limit 1",
    "inventory items watch --status available --max 2",
  );
  add(
    "update <pet-id>",
    "change the name, SKU or status of a pet; its quantity does not change",
    "updateItem",
    option("--name <text>", "the new name, up to 200 characters; '' removes it"),
    option("--new-sku <code>", "the new SKU, up to 64 printable ASCII characters; '' removes it"),
    option("--status <status>", "the new status", statusWords),
    "inventory items update 5 --name Goldfish --new-sku FI-501",
    "inventory items update --sku FI-501 --status sold",
  );
  commandsOf(items, environment, () => import("../orders/holds.ts"))(
    "holds <pet-id>",
    "list the holds that contain units of a pet, newest first",
    "listHoldsOfPet",
    holdStateOption(),
    limitOption(100),
  );
  add("delete <pet-id>", "delete a pet", "deleteItem");
}

/** Returns the options that select items. @param when what the bounds apply to */
function selection(when: string): Option[] {
  return [
    option("--status <status>", "only pets with this status", statusWords),
    option("--min <n>", `only pets with at least this quantity${when}`),
    option("--max <n>", `only pets with at most this quantity${when}`),
  ];
}

/** @param column of the number */
function rowOptions(column: string): Option[] {
  return [
    repeatedOption("--sku <row>", "a row with a SKU instead of a pet id, such as FI-501=10"),
    option(
      "--file <file>",
      `a CSV file with the columns petId or sku, and ${column}; - for standard input`,
    ),
  ];
}

function reason(byDefault = "adjustment"): Option[] {
  return [
    option("--reason <reason>", "reason for the change", reasonWords).default(byDefault),
    ...noteOptions(),
  ];
}

function noteOptions(): Option[] {
  return [
    option("--note <text>", "a human-readable note, up to 500 characters"),
    option(
      "--reference <text>",
      "a record in another system, such as a delivery number, up to 100 characters",
    ),
  ];
}

function formatOption(): Option {
  return option("--format <format>", "the format of the file", fileFormats).default(
    undefined,
    "that of its extension",
  );
}
