/** Whether checks have their short form, as in every run of CI (`QUICK=1`). The nightly run has the long one. */
export const isQuick = process.env.QUICK === "1";
