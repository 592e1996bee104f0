import type { VerificationId } from "@surety/core/Ids"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { KycNotSubmitted, KycProvider } from "@surety/core/kyc/provider/KycProvider"
import type { NextAction } from "@surety/core/kyc/verification/NextAction"
import { DateTime, Effect, Option } from "effect"
import type { World } from "../world/World.js"

type Result = "verified" | "failed" | "errored"

interface Case {
  readonly result: Result
  /** Time from which the vendor reports the result, unless it is still waiting for a code. */
  knownAtMillis: number
  wantsCode: boolean
  readonly action: NextAction
}

/** A KYC vendor that charges for each accepted submission. Its result may become available later. */
export interface SimulatedVendor {
  readonly service: KycProvider["Service"]
  /** Number of submissions accepted for each verification. */
  readonly paid: ReadonlyMap<VerificationId, number>
  /** Returns the vendor's current outcome for a verification, or `undefined` if the vendor has none. */
  readonly say: (reference: VerificationId) => KycOutcome | undefined
  /** True if the vendor has reported the verification as verified. */
  readonly hasVerified: (reference: VerificationId) => boolean
}

export const vendorName = "vendor"

/** Time after which the vendor's request for a code expires. */
const codeMillis = 6 * 3_600_000

const referenceOf = (reference: VerificationId): string => `V-${reference.slice(-12)}`

const outcomeOf = (reference: VerificationId, { result }: Case): KycOutcome => {
  const providerReference = referenceOf(reference)
  switch (result) {
    case "verified":
      return {
        _tag: "Verified",
        providerReference,
        checks: { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH" }
      }
    case "failed":
      return { _tag: "Failed", providerReference, reason: "id_not_found", checks: {} }
    case "errored":
      return { _tag: "Errored", providerReference, reason: "registry_down" }
  }
}

export const makeVendor = (world: World): SimulatedVendor => {
  const cases = new Map<VerificationId, Case>()
  const paid = new Map<VerificationId, number>()
  const verified = new Set<VerificationId>()

  const say = (reference: VerificationId): KycOutcome | undefined => {
    const known = cases.get(reference)
    if (known === undefined) return undefined
    const providerReference = referenceOf(reference)
    if (known.wantsCode) return { _tag: "RequiresAction", providerReference, nextAction: known.action }
    if (world.nowMillis < known.knownAtMillis) return { _tag: "Pending", providerReference }
    if (known.result === "verified") verified.add(reference)
    return outcomeOf(reference, known)
  }

  const take = (reference: VerificationId): void => {
    const draw = world.draw(`vendor ${reference}`)
    const later = draw.chance(0.4) ? draw.pick([4_000, 60_000, 3_600_000, 200_000_000]) : 0
    paid.set(reference, (paid.get(reference) ?? 0) + 1)
    world.tell(() => `vendor: takes ${world.nameOf(reference)}`)
    if (cases.has(reference)) return
    cases.set(reference, {
      // Mostly verified, since few stories reach a correct code.
      result: draw.pick<Result>(["verified", "verified", "verified", "verified", "failed", "errored"]),
      knownAtMillis: world.nowMillis + later,
      wantsCode: draw.chance(0.55),
      action: { type: "CODE", channels: ["phone"], expiresAt: DateTime.makeUnsafe(world.nowMillis + codeMillis) }
    })
  }

  return {
    paid,
    say,
    hasVerified: (reference) => verified.has(reference),
    service: KycProvider.of({
      name: vendorName,
      capabilities: {
        kinds: ["bvn"],
        lookup: "our_reference",
        recognisesRepeats: false,
        callback: "authenticated"
      },
      callback: () => Effect.succeed({ _tag: "NotAuthentic" }),
      submit: ({ reference }) =>
        Effect.suspend(() => {
          const isBusy = world.rates !== undefined && world.draw(`busy ${world.nowMillis}`).chance(0.1)
          if (isBusy) return Effect.fail(new KycNotSubmitted({ reason: "rate_limited" }))
          take(reference)
          return Effect.succeed(say(reference) ?? { _tag: "Unrecognised" })
        }),
      lookup: ({ reference }) => Effect.sync(() => Option.fromUndefinedOr(say(reference))),
      submitCode: ({ reference }) =>
        Effect.sync(() => {
          const known = cases.get(reference)
          const draw = world.draw(`code ${world.nowMillis}`)
          // About a third of the codes are mistyped.
          if (known !== undefined && draw.chance(0.65)) {
            known.wantsCode = false
            if (draw.chance(0.25)) known.knownAtMillis = Math.max(known.knownAtMillis, world.nowMillis + 4_000)
          }
          return say(reference) ?? { _tag: "Unrecognised" }
        })
    })
  }
}
