import type { Command } from "commander";
import { PetStatusSchema } from "../../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { accountIdLength, accountOfKeyId } from "../../access/api-key.ts";
import { enumWord } from "../../call/enum-word.ts";
import { idNames } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { printable } from "../output/printable.ts";
import { write } from "../output/terminal.ts";
import { required, type Session, smallPage, withSession } from "../session/session.ts";

/** Longest time for a completion, in milliseconds. A person waits for it. */
const timeBudgetMs = 1_000;

/** Most ids that are read to find those that begin as the typed word, and most ids that are printed. */
const pageSize = 1_000;
const mostIds = 100;

/** What is known of an argument that is being typed. */
interface Typed {
  readonly prefix: string;
  /** The argument before it: the account of a hold or an order. */
  readonly accountId: string;
}

/** An id and what it names. */
type Candidate = readonly [id: string | bigint, about: string];

/** Reads the ids that an argument can have, by the name of the argument. */
const readers: Readonly<
  Record<
    (typeof idNames)[number],
    (session: Session, typed: Typed) => Promise<readonly Candidate[]>
  >
> = {
  "account-id": async ({ admin }) =>
    (await admin.listAccounts({ pageSize })).accounts.map(({ accountId, name }) => [
      accountId,
      name,
    ]),
  "key-id": async ({ admin }, { prefix }) => {
    // A key id begins with the id of its account.
    const accountId = accountOfKeyId(prefix);
    const { keys } =
      accountId.length < accountIdLength
        ? await admin.listAllKeys({ pageSize })
        : await admin.listKeys({ accountId });
    return keys.filter(({ revokedAt }) => !revokedAt).map(({ keyId, name }) => [keyId, name]);
  },
  "pet-id": async ({ inventory }) =>
    (await inventory.listInventory({ pageSize })).items.map(({ petId, quantity, status }) => [
      petId,
      `${quantity} ${enumWord(PetStatusSchema, status)}`,
    ]),
  "order-id": async ({ admin }, { accountId }) =>
    (await admin.listOrders({ accountId, pageSize })).orders.map((each) => {
      const { orderId, petId, quantity, status } = required(each.order);
      return [orderId, `${quantity} of pet ${petId}, ${enumWord(OrderStatusSchema, status)}`];
    }),
  "hold-id": async ({ admin }, { accountId }) =>
    (await admin.listHolds({ accountId, pageSize: smallPage.holds })).holds.map((each) => {
      const { holdId, items } = required(each.hold);
      return [holdId, items.map(({ petId, quantity }) => `${quantity} of pet ${petId}`).join(", ")];
    }),
};

/**
 * Prints the ids that the last word can become, each with a tab and what it names. Prints nothing if they cannot be read
 * within a second.
 *
 * @param words the words of the command line after the name of the program
 */
export async function completeId(
  environment: Environment,
  program: Command,
  words: readonly string[],
): Promise<void> {
  const prefix = words.at(-1) ?? "";
  const { name, before, server } = position(program, words.slice(0, -1));
  const kind = idNames.find((each) => each === name);
  if (kind === undefined) return;
  // Nothing is lost: the command only reads.
  const timer = setTimeout(() => process.exit(0), timeBudgetMs);
  const quiet = Object.assign(Object.create(environment), { server, jsonErrors: true });
  try {
    const typed = { prefix, accountId: before.at(-1) ?? "" };
    const found = await withSession(quiet, {}, (session) => readers[kind](session, typed));
    const lines = found
      .filter(([id]) => `${id}`.startsWith(prefix))
      .slice(0, mostIds)
      .map(([id, about]) => `${id}\t${printable(about)}\n`);
    await write(environment.stdout, lines.join(""));
  } catch {
    // A shell could only show an error in the middle of the line that is being typed.
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the name of the argument after some words, the arguments before it, and the value of --server. */
function position(program: Command, words: readonly string[]) {
  let command = program;
  let server: string | undefined;
  const before: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const [flag, value] = word.split("=", 2);
    const option = command.options.find(({ long, short }) => long === flag || short === flag);
    if (option?.required) {
      const given = value ?? words[++at];
      if (option.long === "--server") server = given;
      // The word is the value of the option.
      if (given === undefined) return { name: "", before, server };
    } else if (!word.startsWith("-")) {
      const child = command.commands.find(
        (each) => each.name() === word || each.aliases().includes(word),
      );
      if (child) command = child;
      else before.push(word);
    }
  }
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[before.length] ?? (last?.variadic ? last : undefined);
  return { name: argument?.name() ?? "", before, server };
}
