import { hasScope, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { petParts } from "./names.ts";
import { useNames } from "./use-names.ts";

interface Props {
  readonly petId: bigint;
  /** Whether SKU and id are shown on hover only, such as in a sentence. */
  readonly isInline?: boolean;
}

/** A pet by its name, SKU and id, as far as it has them, with a link to its page for a key that may see it. */
export function PetLink({ petId, isInline }: Props) {
  const { title, detail } = petParts(petId, useNames());
  const mayRead = hasScope(useStore(session), "inventory:read");
  const link = mayRead ? (
    <a href={`#/stock/${petId}`} title={detail && `${title} · ${detail}`} dir="auto">
      {title}
    </a>
  ) : (
    title
  );
  if (isInline) return detail === "" ? <>pet {link}</> : link;
  if (detail === "") return link;
  return (
    <span class="pet">
      {link}
      <span class="detail">{detail}</span>
    </span>
  );
}
