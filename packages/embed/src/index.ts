export type { HostConnection, HostTransactionConnection } from "@surety/postgres/HostConnection"
export type { HostPool } from "@surety/postgres/HostPool"
export type { Calls, TransactionalCalls } from "./Calls.js"
export { createSurety, toNodeHandler } from "./createSurety.js"
export type {
  ApiKeyNotFound,
  AskedRecently,
  AskedTooOften,
  AskingBlocked,
  AskingBlockNotFound,
  ClockTooFar,
  CodeChannelUnknown,
  ConsentLinkUnknown,
  ConsentRequired,
  ConsumerNotFound,
  ConsumerNotLinked,
  DataRequestDecided,
  DataRequestNotFound,
  DirectoryUnavailable,
  EndpointDisabled,
  EndpointNotFound,
  ErasuresExhausted,
  EventArchived,
  ExternalIdNotFound,
  ExternalIdTaken,
  GrantNotFound,
  HostRequestKeyReused,
  HostRequestNotFound,
  IdempotencyInProgress,
  IdempotencyKeyReused,
  InsufficientBalance,
  KycProviderUnavailable,
  MerchantNotActive,
  MerchantNotFound,
  PaymentAlreadyRecorded,
  PaymentAlreadySettled,
  PaymentNotFound,
  PersonDataUnavailable,
  PersonNotFound,
  ProposalNotFound,
  RefundNotFound,
  RefundNotWaiting,
  RefundOutcomeUnknown,
  RefundRefused,
  RefundsPending,
  ReturnUrlNotAllowed,
  RightsRequestNotFound,
  ServiceIdTaken,
  StatusChangeNotAllowed,
  StoreError,
  TargetNotAllowed,
  TooManyEndpoints,
  TooManyUnknownConsumers,
  UserIdNotFound,
  UserIdTaken,
  VerificationBusy,
  VerificationNeedsNoAction,
  VerificationNotFound,
  VerificationRefused,
  WalletBalanceTooSmall
} from "./errors.js"
export type { IdentityFieldName } from "./facade/input/fieldNames.js"
export type { ProviderCall } from "./facade/verifications.js"
export type { Health } from "./Health.js"
export type { NodeHandler } from "./handler/nodeHandler.js"
export type { HostConsentNotification, HostConsentNotifier } from "./host/HostConsentNotifier.js"
export type { HostDirectory, HostPerson } from "./host/HostDirectory.js"
export type {
  HostKycAbout,
  HostKycAction,
  HostKycCallback,
  HostKycCalled,
  HostKycChecks,
  HostKycLocalAnswer,
  HostKycOutcome
} from "./host/HostKycAnswers.js"
export type { HostKycCase, HostKycEvidence, HostKycPolicy, HostKycVerdict } from "./host/HostKycPolicy.js"
export type {
  HostKycCapabilities,
  HostKycProvider,
  HostKycQuery,
  HostKycRoutes,
  HostKycSubmission
} from "./host/HostKycProvider.js"
export type { HostLogger, LogLine } from "./host/HostLogger.js"
export type { HostHeldPerson, HostPersonData } from "./host/HostPersonData.js"
export type { HostRateLimit, HostRateLimiter, HostRateVerdict } from "./host/HostRateLimiter.js"
export type { HostSignIn } from "./host/HostSignIn.js"
export type {
  HostCredit,
  HostCreditKnowledge,
  HostCreditOutcome,
  HostCreditQuery,
  HostWallet
} from "./host/HostWallet.js"
export { type ConsoleLike, consoleLogger, type PinoLike, pinoLogger } from "./host/loggers.js"
export { NotSubmitted, type NotSubmittedOptions } from "./host/NotSubmitted.js"
export type { HostError, OnError } from "./host/onHostError.js"
export { InvalidOptions } from "./InvalidOptions.js"
export { type MigrationOptions, migrations } from "./migrations.js"
export { AccountNotFound, EventNotFound } from "./NotFound.js"
export { InvalidInput, type Outcome, unwrap } from "./Outcome.js"
export type { Surety, TransactionalSurety } from "./Surety.js"
export type {
  ConsentAskOptions,
  ConsentPageOptions,
  OperatorOptions,
  RateLimitOptions,
  RateOption,
  RetentionOptions,
  SuretyOptions
} from "./SuretyOptions.js"
export { type EmbeddedOptions, embeddedStore } from "./store/embeddedStore.js"
export { type HostStore, StoreNotOpened, type TransactionalStore } from "./store/HostStore.js"
export { memoryStore } from "./store/memoryStore.js"
export type { DatabaseOptions } from "./store/openDatabase.js"
export { type PostgresOptions, postgresStore } from "./store/postgresStore.js"
export type { TelemetryOptions } from "./telemetry/Telemetry.js"
export { WebhooksNotSigned } from "./WebhooksNotSigned.js"
export type { Workers } from "./Workers.js"
