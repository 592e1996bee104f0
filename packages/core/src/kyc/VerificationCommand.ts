import { Redacted, Result } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { UserId } from "../Ids.js"
import * as IdNumber from "./IdNumber.js"
import type { KycValidation } from "./KycProvider.js"
import type { VerificationKind } from "./Verification.js"

/** A request as sent. The shape and the lengths are checked already. */
export interface VerificationRequest {
  readonly userId?: UserId
  readonly serviceId?: ConsumerId
  readonly kind: VerificationKind
  readonly id: Redacted.Redacted<string>
  readonly verificationConsent: boolean
  readonly tier?: string
  readonly validation?: KycValidation
}

/** What the merchant asks for, understood: at least one name of the person, and their consent. */
export interface VerificationCommand {
  readonly userId: UserId | undefined
  readonly serviceId: ConsumerId | undefined
  readonly number: IdNumber.IdNumber
  readonly tier: string | undefined
  readonly validation: KycValidation
}

/** One thing wrong with a request, and where. */
export interface VerificationRequestFault {
  readonly path: ReadonlyArray<string>
  readonly code: "subject_required" | "verification_consent_required"
  readonly detail: string
}

/**
 * What is wrong with whom a request names, and with their consent: rules that hold whatever else it says. Nothing where
 * nothing is wrong.
 */
export const subjectFaults = (request: {
  readonly namesPerson: boolean
  readonly verificationConsent: boolean
}): ReadonlyArray<VerificationRequestFault> => {
  const faults: Array<VerificationRequestFault> = []
  if (!request.namesPerson) {
    faults.push({
      path: ["userId"],
      code: "subject_required",
      detail: "Send user_id or service_id: whom to verify."
    })
  }
  if (!request.verificationConsent) {
    faults.push({
      path: ["verificationConsent"],
      code: "verification_consent_required",
      detail: "Expected true: nobody is verified without their consent."
    })
  }
  return faults
}

/**
 * Understands a request, or lists every fault in it (at least one). Pure; knows nothing of the person. A number whose
 * kind cannot have that form is no fault: it ends as a `FAILED` verification (contract 8).
 */
export const parse = (
  request: VerificationRequest
): Result.Result<VerificationCommand, ReadonlyArray<VerificationRequestFault>> => {
  const faults = subjectFaults({
    namesPerson: request.userId !== undefined || request.serviceId !== undefined,
    verificationConsent: request.verificationConsent
  })
  if (faults.length > 0) return Result.fail(faults)
  return Result.succeed({
    userId: request.userId,
    serviceId: request.serviceId,
    number: IdNumber.read(request.kind, request.id),
    tier: request.tier,
    validation: request.validation ?? {}
  })
}

const textOf = (value: Redacted.Redacted<string> | undefined): string | null =>
  value === undefined ? null : Redacted.value(value)

/**
 * The command as one text, equal for requests that ask for the same: what the fingerprint is taken of. `selfieDigest`
 * stands for the selfie, which is too long to be copied into it. Number and names stand in it: it is never kept.
 */
export const canonicalText = (command: VerificationCommand, selfieDigest: string | undefined): string =>
  JSON.stringify([
    "kyc.verify",
    command.userId ?? null,
    command.serviceId ?? null,
    command.number.kind,
    textOf(command.number.text),
    command.tier ?? null,
    textOf(command.validation.firstName),
    textOf(command.validation.lastName),
    textOf(command.validation.dateOfBirth),
    selfieDigest ?? null
  ])
