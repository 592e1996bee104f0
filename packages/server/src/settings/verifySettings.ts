import { setting, wholeNumber } from "./Setting.js"

export const verifySettings = {
  verifyWholeUpTo: setting("VERIFY_WHOLE_UP_TO", {
    meaning:
      "the number of transfers up to which surety verify reads all of the books; beyond it, it reads only what was " +
      "committed since its last run, unless called with --full",
    default: 1_000_000,
    read: wholeNumber(0, Number.MAX_SAFE_INTEGER)
  }),
  verifyStepSeconds: setting("VERIFY_STEP_SECONDS", {
    meaning: "how many seconds one step of surety verify, or its read of all the books, may take",
    default: 600,
    read: wholeNumber(1, 86_400)
  })
}
