/**
 * Reports what disagrees, in one line, and may repair it.
 *
 * @param repair what `inventory verify --repair` does. It compares again in the same step, because clients change the data
 * in the meantime. Undefined if only an operator can decide what is right
 */
export type Found = (problem: string, repair?: () => Promise<unknown>) => Promise<void>;

/** Reports what disagrees, in one line. @param accountId an account from which it follows, so that it can be repaired */
export type Report = (problem: string, accountId?: string) => void;
