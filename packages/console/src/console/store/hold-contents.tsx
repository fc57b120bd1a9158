import type { Hold } from "../../../../../gen/store/v1/store_pb.ts";
import { PetLink } from "../pets/pet-link.tsx";
import { countText, numberText } from "../text/number-text.ts";

/** Most pets of a hold that are shown without a click. */
const mostOpen = 4;

/** The units of a hold, by pet. */
export function HoldContents({ items }: Pick<Hold, "items">) {
  const pets = (
    <span class="badges">
      {items.map(({ petId, quantity }) => (
        <span key={petId} class="badge">
          {numberText(quantity)} of <PetLink petId={petId} isInline />
        </span>
      ))}
    </span>
  );
  if (items.length <= mostOpen) return pets;
  return (
    <details>
      <summary>
        {unitsText(items)} of {countText(items.length, "pet")}
      </summary>
      {pets}
    </details>
  );
}

/** Returns the number of all units: `3 units`. */
export function unitsText(items: Hold["items"]): string {
  return countText(
    items.reduce((sum, { quantity }) => sum + quantity, 0),
    "unit",
  );
}
