import { countText, numberText } from "../text/number-text.ts";

/** The largest quantity, by the contract. */
export const largestQuantity = 2_147_483_647;

/** What a request would change, as the user sees it before the request is sent. */
export interface Effect {
  /** Such as `Quantity: 40 → 35`. */
  readonly text: string;
  /** Whether the user must confirm it, because it is unusual. */
  readonly isLarge: boolean;
}

/** A quotient of the new and the old value, or its inverse, that the user must confirm. */
const largeFactor = 10;

/**
 * Whether a change is by a factor of ten or more, up or down. 0 has no factor: a first delivery of up to 99 is usual, and
 * to reach 0 is as large as to reach 1.
 */
export function isLargeChange(before: number | bigint, after: number | bigint): boolean {
  const [from, to] = [Number(before), Number(after)];
  if (to > from) return to >= largeFactor * (from || largeFactor);
  return from >= largeFactor * Math.max(1, to);
}

/** Returns the effect of a new value; none if it is the old one. */
export function numberEffect(
  name: string,
  before: number | bigint,
  after: number | bigint,
): readonly Effect[] {
  if (before === after) return [];
  const text = `${name}: ${numberText(before)} → ${numberText(after)}`;
  return [{ text, isLarge: isLargeChange(before, after) }];
}

/** The same for a quantity. No quantity is below 0 or above the largest one: the service refuses such a change. */
export function quantityEffect(name: string, before: number, after: number): readonly Effect[] {
  const refused = (units: number, than: string) => {
    const text = `${name}: ${numberText(before)}, ${countText(units, "unit")} ${than}`;
    return [{ text, isLarge: false }];
  };
  if (after < 0) return refused(-after, "too few");
  if (after > largestQuantity) return refused(after - largestQuantity, "too many");
  return numberEffect(name, before, after);
}
