import type { Operation, Outcome, UpdateRefusal } from "./history.ts";

/** The outcome is unknown because the server is still executing an earlier attempt whose deadline has passed. */
export const keyInUse = "the key is in use";

/** Longer than a history, because the checker has no clock. */
export const holdTtlSeconds = 86_400;

export function holdIdOf({ hold }: Pick<Operation, "hold">): string {
  return `cart-${hold}`;
}

/** Outcome of an operation on one pet. */
export function itemOutcome(
  item: { readonly quantity?: number } | undefined,
  version: bigint | number,
): Outcome {
  return { kind: "item", quantity: whole(item?.quantity), version: whole(Number(version)) };
}

export function batchOutcome(
  items: readonly {
    readonly item?: { readonly quantity?: number };
    readonly version: bigint | number;
  }[],
): Outcome {
  return {
    kind: "items",
    items: items.map(({ item, version }) => ({
      quantity: whole(item?.quantity),
      version: whole(Number(version)),
    })),
  };
}

/** Outcome of a list, which has {@link pets} first, then the others. */
export function listOutcome(
  items: readonly { readonly quantity?: number }[],
  version: bigint | number,
  pets: number,
): Outcome {
  const quantities = items.map(({ quantity }) => whole(quantity));
  const [first = 0, ...rest] = quantities.slice(pets);
  return {
    kind: "list",
    version: whole(Number(version)),
    quantities: quantities.slice(0, pets),
    others: rest.every((quantity) => quantity === first) ? first : -1,
  };
}

export function orderOutcome(
  kind: "placed" | "cancelled",
  order:
    | { readonly orderId: bigint; readonly petId: bigint; readonly quantity: number }
    | undefined,
): Outcome {
  return {
    kind,
    orderId: whole(Number(order?.orderId)),
    pet: whole(Number(order?.petId)),
    quantity: whole(order?.quantity),
  };
}

/** Outcome of an operation on a hold. @param state such as `active` */
export function holdOutcome(
  items: readonly { readonly petId: bigint | number; readonly quantity: number }[],
  state: string,
  orders: number,
): Outcome {
  const held = items.map(({ petId, quantity }) => [Number(petId), whole(quantity)] as const);
  return { kind: "held", state, held, orders };
}

/**
 * Outcome of an error. Code and message are the same in all protocols.
 *
 * @param rows number of pets that an import had applied before the error
 * @throws Error if no operation of the workload can have this error
 */
export function errorOutcome(code: string, message: string, rows = 0): Outcome {
  if (code === "deadline_exceeded") return { kind: "expired", rows };
  if (code === "unavailable") return { kind: "unknown", why: code };
  if (/is in progress/.test(message)) return { kind: "unknown", why: keyInUse };
  if (/^Hold \S+ does not exist/.test(message)) return { kind: "no_hold" };
  if (/^Hold \S+ (?:is confirmed|was released)/.test(message)) return { kind: "hold_ended" };
  const refusals = message.split("; ").flatMap(updateRefusal);
  if (refusals.length > 0) return { kind: "batch_refused", refusals };
  const version = Number(/ has version (\d+),/.exec(message)?.[1]);
  const quantity = Number(/^The stock of pet \d+ is (\d+)[,:]/.exec(message)?.[1]);
  if (code === "aborted" && version > 0) return { kind: "version_mismatch", version };
  if (code === "aborted" && quantity >= 0) return { kind: "quantity_mismatch", quantity };
  if (code === "failed_precondition" && quantity >= 0) return { kind: "too_small", quantity };
  throw new Error(`the service responded ${code}: ${message}`);
}

/**
 * Parses refusals such as `updates[3].expected_version: the version is 17`,
 * `adjustments[0].delta: the quantity is 12, which is too small`, and `items[0].quantity: the stock of pet 1 is 12`.
 */
function updateRefusal(text: string): readonly UpdateRefusal[] {
  const [, item, stock] =
    /^items\[(\d+)\]\.quantity: the stock of pet \d+ is (\d+)$/.exec(text) ??
    /^adjustments\[(\d+)\]\.delta: the quantity is (\d+), which is too small$/.exec(text) ??
    [];
  if (item !== undefined) {
    return [{ index: Number(item), kind: "too_small", quantity: Number(stock) }];
  }
  const [, counted, units, where] =
    /^counts\[(\d+)\]\.(?:counted|expected\w+): (\d+) units are (held|on hand)$/.exec(text) ?? [];
  if (counted !== undefined) {
    const kind = where === "held" ? "below_held" : "quantity_mismatch";
    return [{ index: Number(counted), kind, quantity: Number(units) }];
  }
  const [, index, what, number] =
    /^(?:updates|adjustments)\[(\d+)\]\.expected\w+: the (version|quantity) is (\d+)$/.exec(text) ??
    [];
  if (what === undefined) return [];
  return [
    what === "version"
      ? { index: Number(index), kind: "version_mismatch", version: Number(number) }
      : { index: Number(index), kind: "quantity_mismatch", quantity: Number(number) },
  ];
}

function whole(number: number | undefined): number {
  if (!Number.isSafeInteger(number)) {
    throw new Error(`a response has ${number} instead of an integer`);
  }
  return number as number;
}
