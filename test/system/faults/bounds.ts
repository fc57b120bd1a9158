/** The service must respond with 503 within this time while Redis is unavailable, in ms. */
export const failWithinMs = 500;

/** The service must succeed again within this time once Redis is back, in ms. */
export const recoverWithinMs = 2_000;

/** Time limit for the setup before an outage, in ms. It is long, because the machine may be busy. */
export const setUpMs = 30_000;
