import type { ContextKey, ContextValues } from "@connectrpc/connect";
import { ownerKey, type RequestInfo, requestKey } from "./request-info.ts";
import type { Owner } from "./shared-pool.ts";

/**
 * The values of a request's context. The first two that are set, such as the caller, have places of their own. Fields are not
 * private, because V8 takes twice as long to make objects with private fields.
 */
export class RequestValues implements ContextValues {
  /** Whose turn the work of the request is, such as the account of its caller. */
  owner: Owner = ownerKey.defaultValue;
  request: RequestInfo = requestKey.defaultValue;
  first: symbol | undefined = undefined;
  firstValue: unknown = undefined;
  second: symbol | undefined = undefined;
  secondValue: unknown = undefined;
  others: Map<symbol, unknown> | undefined = undefined;

  get<T>({ id, defaultValue }: ContextKey<T>): T {
    if (id === this.first) return this.firstValue as T;
    if (id === this.second) return this.secondValue as T;
    if (id === requestKey.id) return this.request as T;
    if (id === ownerKey.id) return this.owner as T;
    return this.others?.has(id) ? (this.others.get(id) as T) : defaultValue;
  }

  set<T>({ id }: ContextKey<T>, value: T): this {
    if (id === requestKey.id) this.request = value as RequestInfo;
    else if (id === ownerKey.id) this.owner = value as Owner;
    else if (this.first === undefined || id === this.first) {
      this.first = id;
      this.firstValue = value;
    } else if (this.second === undefined || id === this.second) {
      this.second = id;
      this.secondValue = value;
    } else {
      this.others ??= new Map();
      this.others.set(id, value);
    }
    return this;
  }

  delete(key: ContextKey<unknown>): this {
    this.set(key, key.defaultValue);
    return this;
  }
}
