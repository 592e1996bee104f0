import type { DomainEvent } from "../../event/DomainEvent.js"
import { verificationCompletedText } from "../../event/OptInPayload.js"
import type { EventId } from "../../Ids.js"
import type { Verification } from "./Verification.js"

/** Builds `kyc.verification.completed` for an ended verification. Returns undefined for an open one. */
export const endEvent = (
  verification: Verification,
  { eventId, traceparent }: { readonly eventId: EventId; readonly traceparent: string | undefined }
): DomainEvent | undefined => {
  const { completedAt, environment, merchantId } = verification
  if (completedAt === undefined) return undefined
  return {
    id: eventId,
    merchantId,
    environment,
    topic: "kyc.verification.completed",
    body: verificationCompletedText(verification, completedAt),
    occurredAt: completedAt,
    ...(traceparent === undefined ? {} : { traceparent })
  }
}
