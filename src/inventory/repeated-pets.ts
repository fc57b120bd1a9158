import { fieldsInvalid } from "../errors.ts";

/**
 * Refuses a list that names a pet twice.
 *
 * @param field the list's name in the request
 * @throws ConnectError invalid_argument that names both places
 */
export function refuseRepeatedPets(
  field: string,
  entries: readonly { readonly petId: bigint }[],
): void {
  const seen = new Map<bigint, number>();
  entries.forEach(({ petId }, index) => {
    const first = seen.get(petId);
    if (first !== undefined) {
      throw fieldsInvalid([
        { field: `${field}[${index}].pet_id`, description: `is that of ${field}[${first}] again` },
      ]);
    }
    seen.set(petId, index);
  });
}
