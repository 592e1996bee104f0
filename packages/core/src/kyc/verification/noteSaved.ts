import { Effect, Option } from "effect"
import { reportHostError } from "../../host/HostErrors.js"
import type { KycProof } from "../evidence/KycStanding.js"
import * as KycMetrics from "../KycMetrics.js"
import type { VerificationProgress } from "../KycStore.js"

/** Reports a policy that gave no verdict. It is reported once, however often the commit called it. */
const reportFault = ({ evidence, fault }: KycProof): Effect.Effect<void> =>
  Option.match(fault(), {
    onNone: () => Effect.void,
    onSome: (cause) =>
      reportHostError({
        part: "kycPolicy",
        operation: "judge",
        cause,
        consequence: "the person's kyc_status and tier stay as they are",
        given: [evidence.userId],
        about: { reference: evidence.verificationId }
      })
  })

/** Counts what was saved, and reports a policy that gave no verdict; nothing if nothing was saved. */
export const noteSaved =
  ({ proof, verification }: VerificationProgress) =>
  (saved: Option.Option<string>): Effect.Effect<void> => {
    if (Option.isNone(saved)) return Effect.void
    const reported = proof === undefined ? Effect.void : reportFault(proof)
    return Effect.andThen(KycMetrics.countEnded(verification), reported)
  }
