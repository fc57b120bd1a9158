import { petParts, petText } from "../../pets/names.ts";
import { numberText } from "../../text/number-text.ts";

/** Most ids in a text. */
const mostNamed = 5;

/** Names pets in a sentence: `pet 7`, `pets Rex, 4 and 7`, `pets 1, 2, 3, 4, 5 and 12 others`. */
export function petsText(petIds: readonly bigint[]): string {
  if (petIds.length === 1) return petText(petIds[0] ?? 0n);
  const others = petIds.length - mostNamed;
  const named = petIds
    .slice(0, others > 1 ? mostNamed : petIds.length)
    .map((petId) => petParts(petId).title);
  const last = others > 1 ? `${numberText(others)} others` : named.pop();
  return `pets ${named.join(", ")} and ${last}`;
}
