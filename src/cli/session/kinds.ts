import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { httpJson } from "../../contract/http-json.ts";
import type { Environment } from "../environment.ts";
import { jsonArray, printResult, type Result } from "../output/output.ts";
import { type Column, detailsOf, table } from "../output/table.ts";
import type { Session } from "./clients.ts";
import { allPages, type PageRequest, required, withSession } from "./session.ts";

/** How messages of a type are printed, in lists and alone. */
interface Listed<D extends DescMessage> {
  readonly desc: D;
  readonly columns: readonly Column<MessageShape<D>>[];
}

/** How messages of a type are printed, which responses have. */
export interface Kind<D extends DescMessage, R, Q = unknown> extends Listed<D> {
  /** Returns the message of the response to a request. It is absent only because of a bug. */
  readonly messageOf: (response: R, request: Q) => MessageShape<D> | undefined;
  /** Returns one message as text; the values of all columns if absent. */
  readonly textOf?: (message: MessageShape<D>) => ReturnType<Result["text"]>;
}

/**
 * Returns a command that calls a method and prints the message of the response.
 *
 * @param requestOf makes the request of the arguments and options of the command, before a connection is opened
 */
export function showing<D extends DescMessage, R, Q, A extends readonly unknown[]>(
  { desc, columns, messageOf, textOf = (message) => detailsOf(columns, message) }: Kind<D, R, Q>,
  requestOf: (...args: A) => Q,
  methodOf: (session: Session) => (request: Q) => Promise<R>,
) {
  return async (environment: Environment, ...args: A): Promise<void> => {
    const request = requestOf(...args);
    const response = await withSession(environment, (session) => methodOf(session)(request));
    const message = required(messageOf(response, request)) as MessageShape<D>;
    await printResult(environment, {
      json: () => httpJson.encodeJson(desc, message),
      text: () => textOf(message),
    });
  };
}

/**
 * Returns a command that reads a list page by page, up to --limit, and prints it.
 *
 * @param pages the name of the list in a page, and the most elements of one page
 * @param requestOf makes the request of the arguments and options of the command, without the page
 */
export function listing<D extends DescMessage, F extends string, Q, A extends readonly unknown[]>(
  kind: Listed<D>,
  { field, largest }: { readonly field: F; readonly largest?: number },
  requestOf: (...args: A) => Q,
  methodOf: (
    session: Session,
  ) => (request: Q & PageRequest) => Promise<Readonly<Record<F, readonly MessageShape<D>[]>>>,
) {
  return async (environment: Environment, ...args: A): Promise<void> => {
    const request = requestOf(...args);
    const messages = await withSession(environment, (session) =>
      allPages(
        environment,
        (page) => methodOf(session)({ ...request, ...page }),
        (page) => page[field],
        largest,
      ),
    );
    await printResult(environment, listResult(kind, messages));
  };
}

/** Returns messages as the result of a command. */
export function listResult<D extends DescMessage>(
  { desc, columns }: Listed<D>,
  messages: readonly MessageShape<D>[],
): Result {
  return {
    json: () => jsonArray(messages.map((message) => httpJson.encodeJson(desc, message))),
    text: () => table(columns, messages),
  };
}
