/** How soon a request is told that the store is not available, in milliseconds. */
export const tellWithinMs = 500;

/** How soon the service is back once the store is, in milliseconds. */
export const recoverWithinMs = 2_000;
