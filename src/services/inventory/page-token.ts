import { hash } from "node:crypto";
import type { ConnectError } from "@connectrpc/connect";
import { base32Class } from "../../access/base32.ts";
import { fieldInvalid } from "../../contract/errors.ts";

/** The sort key of a list. A token is only accepted for the kind it was made for. */
type PageKind =
  | "account"
  | "audit"
  | "ban"
  | "catalog"
  | "hold"
  | "key"
  | "level"
  | "order"
  | "pet"
  | "version";

/** Elements of a page when the request has no page_size. Pages of the stock are larger. */
export const defaultPageSize = 100;

/** Makes the opaque token of the page that begins at a position. */
export function pageToken(kind: PageKind, position: bigint | string): string {
  return Buffer.from(`${kind} ${position}`).toString("base64url");
}

/** Returns a short text that differs for different filters, to which page tokens are bound. */
export function markOf(filters: string): string {
  return hash("sha256", filters, "base64url").slice(0, 12);
}

/** Makes the token of the page after a pet or an order. @param mark identifies the selection; empty when there is none */
export function markedToken(kind: PageKind, id: bigint, mark: string): string {
  return pageToken(kind, mark === "" ? id : `${id} ${mark}`);
}

/** Reads a token of {@link markedToken}. @throws ConnectError invalid_argument also when it belongs to another selection */
export function startOfPage(kind: PageKind, token: string, mark = ""): bigint | undefined {
  const form = /^(0|[1-9]\d{0,18})(?: ([\w-]{12}))?$/;
  const [, id, made = ""] = positionOfPage(kind, token, form) ?? [];
  if (id === undefined) return undefined;
  if (made !== mark) throw tokenInvalid("belongs to another selection: send the same one again");
  return BigInt(id);
}

/** Like {@link positionOfPage}, for a position that is a time and an id. @param idLength in characters */
export function startAfter(
  kind: PageKind,
  token: string,
  idLength: number,
): { readonly time: number; readonly id: string } | undefined {
  const form = new RegExp(`^(\\d{1,15}) (${base32Class}{${idLength}})$`);
  const [, time, id] = positionOfPage(kind, token, form) ?? [];
  return id === undefined ? undefined : { time: Number(time), id };
}

/**
 * Reads a page token by the form of the positions of its kind; undefined for the first page, whose token is empty.
 *
 * @throws ConnectError invalid_argument when it is not a token of this kind
 */
export function positionOfPage(
  kind: PageKind,
  token: string,
  form: RegExp,
): RegExpExecArray | undefined {
  if (token === "") return undefined;
  const text = Buffer.from(token, "base64url").toString("latin1");
  const position = form.exec(text.slice(kind.length + 1));
  if (!position || pageToken(kind, position[0]) !== token) {
    throw tokenInvalid("must be next_page_token of the previous page");
  }
  return position;
}

/**
 * Makes the error of a page token whose position does not exist: its data was lost or replaced, or it is another
 * account's token. An empty page would look like the end of the list.
 */
export function pageTokenStale(): ConnectError {
  const fault = "is not a page of this list, or its data was replaced: begin with the first page";
  return tokenInvalid(fault);
}

const tokenInvalid = (fault: string) => fieldInvalid("page_token", fault);
