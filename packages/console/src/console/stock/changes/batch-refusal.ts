/** What is wrong with one change of a batch. */
export interface PetRefusal {
  readonly petId: bigint;
  /** Such as `the quantity is 9`. */
  readonly description: string;
}

/** Why a batch was refused. */
export interface BatchRefusal {
  readonly pets: readonly PetRefusal[];
  /** The number of further changes that fail, as a text; the service names the first 20. */
  readonly more: string | undefined;
}

const rowForm = /^(?:updates|adjustments)\[(\d+)\]/;

/**
 * Finds the pets that a refused batch names.
 *
 * @param fields what is wrong, by the field's name in the proto, such as `updates[3].expected_quantity`
 * @param petIds the pets of the batch, in the order of its changes
 * @returns undefined if the error names no pet
 */
export function batchRefusal(
  fields: Readonly<Record<string, string>>,
  petIds: readonly bigint[],
): BatchRefusal | undefined {
  const pets = Object.entries(fields).flatMap(([field, description]) => {
    const index = rowForm.exec(field)?.[1];
    const petId = index === undefined ? undefined : petIds[Number(index)];
    return petId === undefined ? [] : [{ petId, description }];
  });
  return pets.length === 0 ? undefined : { pets, more: fields.updates ?? fields.adjustments };
}
