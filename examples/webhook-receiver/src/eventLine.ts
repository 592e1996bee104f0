import type { WebhookEvent } from "@surety/verifier"

/** Formats an event as one line, such as `refund.completed 2500.5 NGN refund_…`. */
export const eventLine = (event: WebhookEvent): string => [event.topic, ...details(event)].join(" ")

const details = (event: WebhookEvent): ReadonlyArray<string | number> => {
  // Topics may be added at any time, so an unknown one is not an error.
  if (!event.known) return [event.id]
  switch (event.topic) {
    case "transaction.settled":
      return [event.payload.amount, event.payload.currency, event.payload.transactionId]
    case "refund.completed":
      return [event.payload.amount, event.payload.currency, event.payload.refundId]
    case "merchant.identity.consent_granted":
      return [event.payload.serviceId, event.payload.fields.join(","), event.payload.grantId]
    case "merchant.identity.request.approved":
      return [event.payload.serviceId, event.payload.approvedFields.join(","), event.payload.dataRequestId]
    case "merchant.identity.request.denied":
      return [event.payload.serviceId, event.payload.requestedFields.join(","), event.payload.dataRequestId]
    case "refund.failed":
      return [event.payload.amount, event.payload.currency, event.payload.refundId]
    case "kyc.verification.completed":
      return [event.payload.serviceId, event.payload.status, event.payload.reference]
    case "merchant.identity.consent_revoked":
    case "merchant.identity.consent_expired":
      return [event.payload.serviceId, event.payload.fields.join(","), event.payload.grantId]
    case "merchant.identity.data_changed":
      return [event.payload.serviceId, event.payload.fields.join(",")]
    case "merchant.identity.request.expired":
      return [event.payload.serviceId, event.payload.requestedFields.join(","), event.payload.dataRequestId]
    case "endpoint.disabled":
      return [event.payload.endpointId]
  }
}
