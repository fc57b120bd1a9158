import { hasScope, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";

/** The id of a pet, with a link to its page for a key that may see it. */
export function PetLink({ petId }: { petId: bigint }) {
  if (!hasScope(useStore(session), "inventory:read")) return <>{String(petId)}</>;
  return <a href={`#/stock/${petId}`}>{String(petId)}</a>;
}
