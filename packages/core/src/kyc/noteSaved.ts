import { Effect, Option } from "effect"
import * as KycMetrics from "./KycMetrics.js"
import type { VerificationProgress } from "./KycStore.js"

const unjudged =
  "The KYC policy gave no verdict; the person's kyc_status and tier stay as they are. " +
  'Return { status: "VERIFIED" } or { status: "UNVERIFIED" }, not a promise'

/** Counts what was saved, and logs a policy that gave no verdict; nothing if nothing was saved. */
export const noteSaved =
  (progress: VerificationProgress) =>
  (saved: Option.Option<string>): Effect.Effect<void> => {
    if (Option.isNone(saved)) return Effect.void
    const fault = progress.proof?.fault()
    const logged =
      fault === undefined
        ? Effect.void
        : Effect.annotateLogs(Effect.logError(unjudged, fault), { reference: progress.verification.id })
    return Effect.andThen(KycMetrics.countEnded(progress.verification), logged)
  }
