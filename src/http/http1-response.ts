import { type IncomingMessage, type OutgoingHttpHeader, ServerResponse } from "node:http";

/**
 * The answer of node:http, to which it makes no difference in price whether a header field is set before
 * the others. With node's own, one that is makes all of them take a slower way.
 */
export class Http1Response extends ServerResponse<IncomingMessage> {
  /** Names as they are to be sent, and values, by name in lower case. */
  #fields: Record<string, readonly [name: string, value: OutgoingHttpHeader]> = {};

  override setHeader(name: string, value: OutgoingHttpHeader): this {
    this.#fields[name.toLowerCase()] = [name, value];
    return this;
  }

  // biome-ignore lint/suspicious/noExplicitAny: what node's declaration says.
  override getHeader(name: string): any {
    return this.#fields[name.toLowerCase()]?.[1];
  }

  override hasHeader(name: string): boolean {
    return this.#fields[name.toLowerCase()] !== undefined;
  }

  override getHeaders(): Record<string, OutgoingHttpHeader> {
    return Object.fromEntries(
      Object.entries(this.#fields).map(([name, [, value]]) => [name, value] as const),
    );
  }

  override removeHeader(name: string): void {
    delete this.#fields[name.toLowerCase()];
  }

  // biome-ignore lint/suspicious/noExplicitAny: of all the forms that node takes, one is used here.
  override writeHead(status: number, fields?: any): this {
    const before = this.#fields;
    const all: OutgoingHttpHeader[] = [];
    for (const key in before) {
      const field = before[key];
      if (field && fields?.[key] === undefined) all.push(field[0], field[1]);
    }
    for (const name in fields) all.push(name, fields[name]);
    return super.writeHead(status, all as string[]);
  }
}
