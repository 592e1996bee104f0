// Types of the core errors that calls fail with, distinguished by `error._tag`.

export type { AskedRecently, AskedTooOften, AskingBlocked } from "@surety/core/consent/asking/decideAsk"
export type { TooManyUnknownConsumers } from "@surety/core/consent/asking/UnknownConsumerLimit"
export type {
  AskingBlockNotFound,
  ConsentLinkUnknown,
  ConsentRequired,
  DataRequestDecided,
  DataRequestNotFound,
  GrantNotFound,
  ReturnUrlNotAllowed
} from "@surety/core/consent/ConsentError"
export type { DirectoryUnavailable } from "@surety/core/consumer/ConsumerDirectory"
export type {
  ConsumerNotFound,
  ConsumerNotLinked,
  ServiceIdTaken,
  UserIdNotFound,
  UserIdTaken
} from "@surety/core/consumer/Consumers"
export type { EventArchived } from "@surety/core/event/EventArchived"
export type { TargetNotAllowed } from "@surety/core/event/TargetPolicy"
export type { HostRequestKeyReused, HostRequestNotFound } from "@surety/core/host/HostRequest"
export type { IdempotencyInProgress, IdempotencyKeyReused } from "@surety/core/idempotency/IdempotencyError"
export type {
  CodeChannelUnknown,
  KycProviderUnavailable,
  VerificationBusy,
  VerificationNeedsNoAction,
  VerificationNotFound,
  VerificationRefused
} from "@surety/core/kyc/KycError"
export type { InsufficientBalance } from "@surety/core/ledger/OperatorTransfers"
export type {
  ApiKeyNotFound,
  EndpointDisabled,
  EndpointNotFound,
  ExternalIdNotFound,
  ExternalIdTaken,
  MerchantNotActive,
  MerchantNotFound,
  StatusChangeNotAllowed,
  TooManyEndpoints
} from "@surety/core/merchant/MerchantError"
export type { ProposalNotFound } from "@surety/core/operator/approval/ApprovalError"
export type {
  PaymentAlreadyRecorded,
  PaymentAlreadySettled,
  PaymentNotFound,
  WalletBalanceTooSmall
} from "@surety/core/payment/PaymentError"
export type { RefundsPending } from "@surety/core/person/decideErasure"
export type { PersonDataUnavailable } from "@surety/core/person/PersonDataHolders"
export type { PersonNotFound } from "@surety/core/person/PersonRights"
export type { ErasuresExhausted } from "@surety/core/person/PersonStore"
export type { RightsRequestNotFound } from "@surety/core/person/RightsRequests"
export type { RefundNotFound, RefundNotWaiting, RefundRefusal, RefundRefused } from "@surety/core/refund/RefundError"
export type { RefundOutcomeUnknown } from "@surety/core/refund/Refunds"
export type { StoreError } from "@surety/core/StoreError"
export type { ClockTooFar } from "@surety/core/sandbox/Sandbox"
