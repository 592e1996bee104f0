export type { HeaderFields } from "./body/HeaderFields.js"
export type { RawBody } from "./body/RawBody.js"
export type { ReceivableBody } from "./body/readBody.js"
export { type Answer, createHandler, type Handler, type HandlerOptions, type Outcome } from "./createHandler.js"
export type { Claim, DedupeStore } from "./DedupeStore.js"
export { type MemoryStoreOptions, memoryStore } from "./memoryStore.js"
export type {
  ConsentExpired,
  ConsentGranted,
  ConsentRevoked,
  DataChanged,
  DataRequestApproved,
  DataRequestDenied,
  DataRequestExpired,
  EndpointDisabled,
  Payloads,
  RefundCompleted,
  RefundFailed,
  TransactionSettled,
  VerificationCompleted
} from "./Payloads.generated.js"
export type { Secrets } from "./signature/Secrets.js"
export { type ServiceSignatureInput, verifyServiceSignature } from "./signature/verifyServiceSignature.js"
export { type SignedDelivery, verifySignature } from "./signature/verifySignature.js"
export type { FailureReason, VerifyInput, WebhookFailure as Failure } from "./Verification.js"
export { verify, type WebhookVerification as Verification } from "./verify.js"
export type { Environment, KnownEvent, Topic, UnknownEvent, WebhookEvent } from "./WebhookEvent.js"
