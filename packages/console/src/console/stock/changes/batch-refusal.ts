import { petSubject } from "../../pets/names.ts";

const rowForm = /^(?:updates|adjustments|counts)\[(\d+)\]/;

/**
 * Returns why a batch was refused, a text for each pet that the service names: `Pet 7: the quantity is 9.`
 *
 * @param fields what is wrong, by the field's name in the proto, such as `updates[3].expected_quantity`
 * @param petIds the pets of the batch, in the order of its changes
 * @returns undefined if the error names no pet
 */
export function batchRefusal(
  fields: Readonly<Record<string, string>>,
  petIds: readonly bigint[],
): readonly string[] | undefined {
  const pets = Object.entries(fields).flatMap(([field, description]) => {
    const index = rowForm.exec(field)?.[1];
    const petId = index === undefined ? undefined : petIds[Number(index)];
    return petId === undefined ? [] : [`${petSubject(petId)}: ${description}.`];
  });
  const more = fields.updates ?? fields.adjustments ?? fields.counts;
  if (pets.length === 0) return undefined;
  return more === undefined ? pets : [...pets, `${more}.`];
}
