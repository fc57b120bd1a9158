import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { httpJson } from "../../contract/json.ts";
import type { Environment } from "../environment.ts";
import { jsonArray, printResult, type Result } from "../output/output.ts";
import { type Column, detailsOf, table } from "../output/table.ts";
import type { Session } from "./clients.ts";
import { type Entries, entriesOf, noEntries, type RequestMaker } from "./pets.ts";
import { allPages, type PageRequest, required, withSession } from "./session.ts";

/** How messages of a type are printed, in lists and alone. */
interface Listed<D extends DescMessage> {
  readonly desc: D;
  /** Gets the entries of the pets of all messages. */
  readonly columns:
    | readonly Column<MessageShape<D>>[]
    | ((entries: Entries) => readonly Column<MessageShape<D>>[]);
  /** Returns the pets of a message, whose names are shown; none if absent. */
  readonly petsOf?: (message: MessageShape<D>) => readonly bigint[];
  /** Returns the JSON of a message with its pet's name; that of the message alone if absent. */
  readonly jsonOf?: (message: MessageShape<D>, entries: Entries) => string;
}

/** How messages of a type are printed, which responses have. */
export interface Kind<D extends DescMessage, R, Q = unknown> extends Listed<D> {
  /** Returns the message of the response to a request. It is absent only because of a bug. */
  readonly messageOf: (response: R, request: Q) => MessageShape<D> | undefined;
  /** Returns one message as text; the values of all columns if absent. */
  readonly textOf?: (message: MessageShape<D>, entries: Entries) => ReturnType<Result["text"]>;
}

/** A request about an account. */
export type OfAccount = { readonly accountId: string };

type Args = readonly unknown[];

/** The request of a command: itself, or how it is made when there is a session. */
type Made<Q> = Q | RequestMaker<Q>;

/** Reads the entries of the pets of messages, if their names are printed. */
export async function entriesFor<D extends DescMessage>(
  session: Session,
  { format = "table" }: Pick<Environment, "format">,
  { petsOf, jsonOf }: Listed<D>,
  messages: readonly MessageShape<D>[],
): Promise<Entries> {
  const isNamed = jsonOf !== undefined || format === "table" || format === "csv";
  return entriesOf(session, petsOf && isNamed ? messages.flatMap(petsOf) : []);
}

/**
 * Returns a command that calls a method and prints the message of the response.
 *
 * @param requestOf makes the request of the arguments and options of the command, before a connection is opened
 */
export function showing<D extends DescMessage, R, Q extends object, A extends Args>(
  kind: Kind<D, R, Q>,
  requestOf: (...args: A) => Made<Q>,
  methodOf: (session: Session) => (request: Q) => Promise<R>,
) {
  return async (environment: Environment, ...args: A): Promise<void> => {
    const given = requestOf(...args);
    const { message, entries } = await withSession(environment, async (session) => {
      const request = typeof given === "function" ? await given(session) : given;
      const response = await methodOf(session)(request);
      const message = required(kind.messageOf(response, request)) as MessageShape<D>;
      // A change succeeded even if the names cannot be read.
      const entries = await entriesFor(session, environment, kind, [message]).catch(noEntries);
      return { message, entries };
    });
    await printResult(environment, {
      json: () => jsonTextOf(kind, message, entries),
      text: () => kind.textOf?.(message, entries) ?? detailsOf(columnsOf(kind, entries), message),
    });
  };
}

/**
 * Returns a command that reads a list page by page, up to --limit, and prints it.
 *
 * @param pages the name of the list in a page, and the most elements of one page
 * @param requestOf makes the request of the arguments and options of the command, without the page
 */
export function listing<D extends DescMessage, F extends string, Q extends object, A extends Args>(
  kind: Listed<D>,
  { field, largest }: { readonly field: F; readonly largest?: number },
  requestOf: (...args: A) => Made<Q>,
  methodOf: (
    session: Session,
  ) => (request: Q & PageRequest) => Promise<Readonly<Record<F, readonly MessageShape<D>[]>>>,
) {
  return async (environment: Environment, ...args: A): Promise<void> => {
    const given = requestOf(...args);
    const result = await withSession(environment, async (session) => {
      const request = typeof given === "function" ? await given(session) : given;
      const messages = await allPages(
        environment,
        (page) => methodOf(session)({ ...request, ...page }),
        (page) => page[field],
        largest,
      );
      return listResult(kind, messages, await entriesFor(session, environment, kind, messages));
    });
    await printResult(environment, result);
  };
}

/** Returns messages as the result of a command. @param entries those of their pets */
export function listResult<D extends DescMessage>(
  kind: Listed<D>,
  messages: readonly MessageShape<D>[],
  entries: Entries,
): Result {
  return {
    json: () => jsonArray(messages.map((message) => jsonTextOf(kind, message, entries))),
    text: () => table(columnsOf(kind, entries), messages),
  };
}

function columnsOf<D extends DescMessage>({ columns }: Listed<D>, entries: Entries) {
  return typeof columns === "function" ? columns(entries) : columns;
}

function jsonTextOf<D extends DescMessage>(
  { desc, jsonOf }: Listed<D>,
  message: MessageShape<D>,
  entries: Entries,
): string {
  return jsonOf ? jsonOf(message, entries) : httpJson.encodeJson(desc, message);
}
