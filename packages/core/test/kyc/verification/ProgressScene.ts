import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { EventId, MerchantId, UserId, VerificationId } from "@surety/core/Ids"
import { IdentityHash } from "@surety/core/kyc/command/IdNumber"
import { defaultKycPolicy } from "@surety/core/kyc/evidence/KycPolicy"
import { proving } from "@surety/core/kyc/evidence/KycStanding"
import { standardKycSchedule as schedule } from "@surety/core/kyc/KycSchedule"
import type { LeasedVerification, VerificationProgress } from "@surety/core/kyc/KycStore"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { nothingChecked, type Verification } from "@surety/core/kyc/verification/Verification"
import { responses } from "@surety/testing/Responses"
import { DateTime } from "effect"

const suffix = "01h2xcejqtf2nbrexx3vqjhp41"
export const madeAt = DateTime.makeUnsafe("2026-11-20T12:00:00.000Z")
const prove = proving(defaultKycPolicy, ["TIER_1"])
export const moment = {
  now: DateTime.add(madeAt, { seconds: 3 }),
  schedule,
  prove,
  eventId: EventId.make(`event_${suffix}`),
  traceparent: undefined,
  responseOf: responses.verification
}
export const later = (seconds: number) => DateTime.add(moment.now, { seconds })

export const verification: Verification = {
  id: VerificationId.make(`kyc_${suffix}`),
  merchantId: MerchantId.make(`merchant_${suffix}`),
  environment: "LIVE",
  userId: UserId.make("consumer_ada"),
  serviceId: ConsumerId.make("SR1-K7QM-WX4T-A"),
  kind: "bvn",
  idHash: IdentityHash.make("k1.hash"),
  idLast4: "2222",
  method: "MERCHANT_ATTESTED",
  status: "PENDING",
  checks: nothingChecked,
  provider: "kora",
  createdAt: madeAt
}
export const codeAction = { type: "CODE", channels: ["phone"], expiresAt: later(600) } as const
export const leased: LeasedVerification = { verification, fence: 1, looks: 0, codes: 0, dueAt: madeAt }
export const confirmed: LeasedVerification = { ...leased, verification: { ...verification, providerReference: "VR-1" } }
export const pending: KycOutcome = { _tag: "Pending", providerReference: "VR-1" }
export const verified: KycOutcome = { _tag: "Verified", providerReference: "VR-1", checks: {} }
export const endOf = ({ verification: { failureReason, status } }: VerificationProgress) => [status, failureReason]
export const lastLook = (from: LeasedVerification): LeasedVerification => ({ ...from, looks: schedule.looks.length })
