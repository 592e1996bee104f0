import { Context, DateTime, Duration, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import * as Traceparent from "../../event/Traceparent.js"
import { EventId, ReceiptId, VerificationId } from "../../Ids.js"
import { IdempotencyInProgress, IdempotencyKeyReused } from "../../idempotency/IdempotencyError.js"
import type { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import { type Answered, Responses } from "../../idempotency/Responses.js"
import { firstFence } from "../../Lease.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import { Keyring } from "../../secret/Keyring.js"
import * as IdNumber from "../command/IdNumber.js"
import { textDigest } from "../command/TextDigest.js"
import { canonicalVerification, type VerificationCommand } from "../command/VerificationCommand.js"
import * as KycError from "../KycError.js"
import * as KycMetrics from "../KycMetrics.js"
import { KycSettings } from "../KycSettings.js"
import { type CalledVerification, KycStore, type LeasedVerification } from "../KycStore.js"
import type { KycCallback } from "../provider/KycCallback.js"
import type { KycOutcome } from "../provider/KycOutcome.js"
import { KycProviders } from "../provider/KycProviders.js"
import { decideVerification, type VerificationContext, type VerificationPlan } from "./decideVerification.js"
import type { CodeChannel } from "./NextAction.js"
import { makeProviderCalls } from "./providerCalls.js"
import { type Sent, Submissions, layer as submissionsLayer } from "./Submissions.js"
import { isVerificationOpen, type Verification } from "./Verification.js"
import { type VerificationListing, VerificationLog } from "./VerificationLog.js"
import { layer as resultsLayer, VerificationResults } from "./VerificationResults.js"

export type VerificationFailed =
  | KycError.VerificationRefused
  | IdempotencyKeyReused
  | IdempotencyInProgress
  | StoreError

export type CodeNotEntered =
  | KycError.VerificationNotFound
  | KycError.VerificationNeedsNoAction
  | KycError.CodeChannelUnknown
  | KycError.VerificationBusy
  | KycError.KycProviderUnavailable
  | StoreError

export interface AnsweredVerification extends Answered {
  /** Current record, which may be newer than the response. `None` if the person is no longer linked to the merchant. */
  readonly verification: Option.Option<Verification>
}

/** Managed verifications of linked persons (specification 4.2, contract 8). */
export class Verifications extends Context.Service<
  Verifications,
  {
    /**
     * Verifies a number, or returns the earlier response for the same key. The status is final if the result is
     * immediate, and `REQUIRES_ACTION` if the holder must act. It is `PENDING` if the result comes later or the
     * provider is to be called again. The verification is committed before the provider is called. Repeating a key
     * within `keyRetention` never starts a second paid verification, unless the person was erased.
     */
    readonly submit: (
      scope: MerchantScope,
      key: IdempotencyKey,
      command: VerificationCommand
    ) => Effect.Effect<AnsweredVerification, VerificationFailed>

    /** Finds a verification by Surety's reference or the provider's. Waits at most `readPatience` for a due lookup. */
    readonly get: (
      scope: MerchantScope,
      reference: string
    ) => Effect.Effect<Verification, KycError.VerificationNotFound | StoreError>

    /** Lists the merchant's verifications of linked persons as stored, newest first. Performs no lookups. */
    readonly list: (scope: MerchantScope, page: PageRequest) => Effect.Effect<Page<Verification>, StoreError>

    /** Lists verifications of linked and formerly linked persons, newest first. For the operator and the host. */
    readonly listAll: (listing: VerificationListing, page: PageRequest) => Effect.Effect<Page<Verification>, StoreError>

    /**
     * Passes on the holder's one-time code. After a wrong code the verification stays `REQUIRES_ACTION`, or becomes
     * `FAILED` if the code was the last of the `mostCodes` allowed. Fails like `VerificationResults.enterCode`, or with
     * `VerificationNotFound`.
     */
    readonly submitCode: (
      scope: MerchantScope,
      reference: string,
      code: Redacted.Redacted<string>,
      channel?: CodeChannel
    ) => Effect.Effect<Verification, CodeNotEntered>

    /**
     * Handles a provider's callback as received. The provider's adapter checks the signature. If the signature does not
     * cover the body, the outcome is looked up instead. Returns false, and reveals nothing else, if no LIVE provider
     * has this name or the callback is not authentic.
     */
    readonly callback: (provider: string, callback: KycCallback) => Effect.Effect<boolean, StoreError>

    /**
     * Commits the holder's decision on the sandbox's page, whose url contains `providerReference`. TEST only. Returns
     * false if the decision changes nothing.
     */
    readonly consentInSandbox: (providerReference: string, agreed: boolean) => Effect.Effect<boolean, StoreError>

    /**
     * Commits the outcome of a provider's callback that has already been authenticated. Returns false, like
     * `VerificationResults.called`, if the verification is unknown or has ended, or the outcome adds nothing.
     */
    readonly providerCalled: (call: CalledVerification, outcome: KycOutcome) => Effect.Effect<boolean, StoreError>
  }
>()("@surety/core/kyc/verification/Verifications") {}

const recheckEvery = Duration.millis(100)

const makeContexts = Effect.gen(function* () {
  const keyring = yield* Keyring
  const providers = yield* KycProviders
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom
  const { leaseTime } = yield* KycSettings
  const { verification: responseOf } = yield* Responses

  return Effect.fnUntraced(
    function* (merchant: MerchantScope, idempotencyKey: IdempotencyKey, command: VerificationCommand) {
      const { selfie } = command.sent
      const selfieDigest = selfie === undefined ? undefined : yield* textDigest(Redacted.value(selfie))
      const fingerprints = yield* keyring.fingerprints(canonicalVerification(command, selfieDigest))
      const idHash = yield* keyring.identityHash(IdNumber.identityText(command.number))
      const verificationId = yield* VerificationId.next
      const receiptId = yield* ReceiptId.next
      const eventId = yield* EventId.next
      const traceparent = yield* Traceparent.current
      const now = yield* DateTime.now
      const context: VerificationContext = {
        scope: merchant,
        idempotencyKey,
        fingerprints,
        now,
        verificationId,
        receiptId,
        eventId,
        traceparent,
        idHash,
        provider: providers.routeOf(merchant.environment, command.number.kind)[0]?.name,
        leasedUntil: DateTime.addDuration(now, leaseTime),
        responseOf
      }
      return context
    },
    Effect.provideService(Digest.Digest, digest),
    Effect.provideService(SecureRandom.SecureRandom, random)
  )
})

/**
 * Builds functions that submit a verification and return its response. A verification of a malformed number already
 * has its response and is not submitted. `None` if another worker has leased or ended the verification.
 */
const makeSendings = Effect.gen(function* () {
  const store = yield* KycStore
  const submissions = yield* Submissions
  const { leaseTime } = yield* KycSettings

  const send = (
    leased: LeasedVerification,
    leasedUntil: DateTime.Utc,
    { number, validation }: VerificationCommand,
    sent: Sent
  ) => {
    const submission = { reference: leased.verification.id, kind: number.kind, id: number.text, validation }
    return submissions.submit(leased, submission, sent, leasedUntil)
  }

  const begin = ({ answer, leasedUntil, verification }: VerificationPlan, command: VerificationCommand) => {
    const leased = { verification, fence: firstFence, looks: 0, codes: 0, dueAt: verification.createdAt }
    return answer === undefined
      ? send(leased, leasedUntil ?? verification.createdAt, command, "never")
      : Effect.as(KycMetrics.countEnded(verification), Option.some(answer))
  }

  /** Resumes an unfinished verification with this request's number. The provider may already have the submission. */
  const resume = Effect.fnUntraced(function* (id: VerificationId, command: VerificationCommand) {
    const now = yield* DateTime.now
    const leasedUntil = DateTime.addDuration(now, leaseTime)
    const [leased] = yield* store.claim({ now, leasedUntil, limit: 1, id })
    return leased === undefined ? Option.none<string>() : yield* send(leased, leasedUntil, command, "perhaps")
  })

  return { begin, resume }
})

const makeSubmit = Effect.gen(function* () {
  const store = yield* KycStore
  const contextOf = yield* makeContexts
  const { begin, resume } = yield* makeSendings
  const { patience } = yield* KycSettings

  /** Only the wait for the response is interruptible: a committed verification is still submitted. */
  const decideAndSend = Effect.fnUntraced(function* (command: VerificationCommand, context: VerificationContext) {
    const { idempotencyKey, scope } = context
    const lookup = { scope, idempotencyKey, userId: command.userId, serviceId: command.serviceId }
    const decision = yield* store.begin(lookup, (snapshot) => decideVerification(snapshot, command, context))
    switch (decision._tag) {
      case "Execute":
        return { decision, kept: yield* begin(decision.plan, command) }
      case "Pending":
        return { decision, kept: yield* resume(decision.verificationId, command) }
      default:
        return { decision, kept: Option.none<string>() }
    }
  }, Effect.uninterruptible)

  return Effect.fn("Verifications.submit")(function* (
    merchant: MerchantScope,
    idempotencyKey: IdempotencyKey,
    command: VerificationCommand
  ) {
    const context = yield* contextOf(merchant, idempotencyKey, command)
    const answered = (id: VerificationId, response: string, replayed: boolean) =>
      Effect.map(store.find(merchant, id), (verification) => ({ verification, response, replayed }))
    let isFirst = false
    let giveUpAt: DateTime.Utc | undefined

    while (true) {
      const { decision, kept } = yield* decideAndSend(command, context)
      switch (decision._tag) {
        case "Replay":
          return yield* answered(decision.verificationId, decision.answer, !isFirst)
        case "KeyReused":
          return yield* new IdempotencyKeyReused()
        case "Refuse":
          return yield* new KycError.VerificationRefused({ reason: decision.reason })
      }
      if (Option.isSome(kept)) {
        const id = decision._tag === "Execute" ? decision.plan.verification.id : decision.verificationId
        return yield* answered(id, kept.value, false)
      }
      isFirst ||= decision._tag === "Execute"
      const now = yield* DateTime.now
      giveUpAt ??= DateTime.addDuration(now, patience)
      if (DateTime.isGreaterThanOrEqualTo(now, giveUpAt)) {
        return yield* new IdempotencyInProgress({ retryAfterSeconds: Math.ceil(Duration.toSeconds(patience)) })
      }
      yield* Effect.sleep(recheckEvery)
    }
  })
})

const make = Effect.gen(function* () {
  const store = yield* KycStore
  const log = yield* VerificationLog
  const results = yield* VerificationResults
  const { readPatience } = yield* KycSettings
  const scope = yield* Effect.scope

  const find = Effect.fnUntraced(function* (merchant: MerchantScope, reference: string) {
    const found = yield* store.find(merchant, reference)
    if (Option.isNone(found)) return yield* new KycError.VerificationNotFound()
    return found.value
  })

  const get = Effect.fn("Verifications.get")(function* (merchant: MerchantScope, reference: string) {
    const found = yield* find(merchant, reference)
    if (!isVerificationOpen(found.status)) return found
    // Runs in the background: a lookup that outlasts the reader's wait is still worth finishing.
    const look = yield* Effect.forkIn(results.look(found.id), scope)
    const looked = yield* Effect.timeoutOption(Fiber.join(look), readPatience)
    return Option.contains(looked, false) ? found : yield* find(merchant, reference)
  })

  const submitCode = Effect.fn("Verifications.submitCode")(function* (
    merchant: MerchantScope,
    reference: string,
    code: Redacted.Redacted<string>,
    channel?: CodeChannel
  ) {
    const { id, nextAction, status } = yield* find(merchant, reference)
    if (nextAction?.type !== "CODE") return yield* new KycError.VerificationNeedsNoAction({ status })
    yield* results.enterCode(id, code, channel)
    return yield* find(merchant, id)
  })

  return Verifications.of({
    submit: yield* makeSubmit,
    get,
    list: log.list,
    listAll: log.listAll,
    submitCode,
    ...(yield* makeProviderCalls),
    providerCalled: results.called
  })
})

/** `VerificationRecovery.worker` must also run, to look up late results and complete interrupted verifications. */
export const layer: Layer.Layer<
  Verifications | VerificationResults,
  never,
  KycStore | VerificationLog | KycProviders | Keyring | Responses | Digest.Digest | SecureRandom.SecureRandom
> = Layer.effect(Verifications, make).pipe(Layer.provide(submissionsLayer), Layer.provideMerge(resultsLayer))
