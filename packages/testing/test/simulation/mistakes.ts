import type { Subject } from "@surety/testing/simulation/Repertoire"
import * as Approval from "./mistakes/approval.js"
import * as Consent from "./mistakes/consent.js"
import * as Console from "./mistakes/console.js"
import * as Erasure from "./mistakes/erasure.js"
import * as Facts from "./mistakes/facts.js"
import * as Kyc from "./mistakes/kyc.js"
import type { Mistake } from "./mistakes/Mistake.js"
import * as Money from "./mistakes/money.js"
import * as Rights from "./mistakes/rights.js"
import * as Standing from "./mistakes/standing.js"
import * as Telling from "./mistakes/telling.js"

const about = (subject: Subject, mistakes: ReadonlyArray<Mistake>): ReadonlyArray<Mistake> =>
  mistakes.map((mistake) => ({ about: subject, ...mistake }))

/** Each invariant except `stores_agree` has a mistake whose `violates` names that invariant alone. */
export const mistakes: ReadonlyArray<Mistake> = [
  ...about("money", Money.mistakes),
  ...about("consent", Consent.mistakes),
  ...about("kyc", Kyc.mistakes),
  ...about("telling", Telling.mistakes),
  ...about("erasure", Erasure.mistakes),
  ...about("approval", Approval.mistakes),
  ...about("sessions", Console.mistakes),
  ...about("rights", Rights.mistakes),
  ...about("standing", Standing.mistakes),
  ...about("telling", Facts.mistakes)
]
