import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { Environment } from "@surety/core/Environment"
import { reading } from "@surety/core/host/HostAnswer"
import { EventId, type UserId } from "@surety/core/Ids"
import {
  Wallet,
  type WalletCredit,
  type WalletKnowledge,
  type WalletOutcome,
  type WalletQuery,
  WalletUnavailable
} from "@surety/core/refund/Wallet"
import { Effect, Layer, Option, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { type HookCall, HookCaller, type HookFailed, type HookTarget } from "./HookCaller.js"

/** Schema of a platform's response to a credit (contract 15.1). `readCreditAnswer` rejects additional fields. */
export const CreditAnswer = Schema.Union([
  Schema.Struct({ status: Schema.Literal("CREDITED"), walletReference: Schema.optionalKey(Schema.String) }),
  Schema.Struct({ status: Schema.Literal("DECLINED"), reason: Schema.String })
])

/** Schema of a platform's response to a lookup. `readLookupAnswer` rejects additional fields. */
export const LookupAnswer = Schema.Union([CreditAnswer, Schema.Struct({ status: Schema.Literal("UNKNOWN") })])

const forms = '{ status: "CREDITED", walletReference?: string } or { status: "DECLINED", reason: string }'

export const readCreditAnswer = reading(CreditAnswer, `exactly ${forms}`)
export const readLookupAnswer = reading(LookupAnswer, `exactly ${forms} or { status: "UNKNOWN" }`)

/** Maximum length of a platform's reason as shown to the merchant, in UTF-16 code units. */
const longestReason = 500

const reasonOf = (reason: string): string =>
  reason.slice(0, longestReason).toWellFormed().replaceAll("\0", "\uFFFD").trim() || "The wallet declined the refund."

const outcomeOf = (answer: typeof CreditAnswer.Type): WalletOutcome =>
  answer.status === "CREDITED" ? { _tag: "Credited" } : { _tag: "Declined", reason: reasonOf(answer.reason) }

/** Returns the url for lookups: the wallet's `url` with `/lookup` appended to its path. */
export const lookupUrl = (url: string): string => {
  const { href, pathname } = new URL(url)
  const at = new URL(href)
  at.pathname = `${pathname.replace(/\/+$/, "")}/lookup`
  return at.href
}

/** Builds the request body for a credit. `amountMinor` is a decimal string, and undefined ids are omitted. */
export const creditBody = (
  { amount, paymentId, refundId, scope, serviceId, userId }: WalletCredit,
  externalId: string | undefined
) => ({
  refundId,
  merchantId: scope.merchantId,
  environment: scope.environment,
  transactionId: paymentId,
  userId,
  ...(externalId === undefined ? {} : { externalId }),
  ...(serviceId === undefined ? {} : { serviceId }),
  amountMinor: String(amount.minor),
  currency: amount.currency
})

/** Statuses that a server without a lookup route may return. */
const withoutRoute: ReadonlyArray<number | undefined> = [404, 405, 501]

/** The platform holds only LIVE money. */
const environments: ReadonlyArray<Environment> = ["LIVE"]

const isServed = ({ scope }: WalletQuery): boolean => environments.includes(scope.environment)

const unavailable = (cause: unknown) => new WalletUnavailable({ cause })

/**
 * Credits refunds in the platform's wallet through a hook (contract 15.1). In TEST, Surety's ledger is the wallet, and
 * every credit returns `Credited` without a call.
 *
 * Only a 200 in the specified form settles the outcome. Anything else, even a refused connection, leaves the outcome
 * unknown. If the platform has no lookup route, a lookup returns `NotKnown`, and the credit is repeated. That is safe
 * because the credit is idempotent.
 */
export const layer = (
  target: HookTarget
): Layer.Layer<Wallet, never, HookCaller | ConsumerStore | SecureRandom.SecureRandom> =>
  Layer.effect(
    Wallet,
    Effect.gen(function* () {
      const hooks = yield* HookCaller
      const consumers = yield* ConsumerStore
      const random = yield* Effect.context<SecureRandom.SecureRandom>()

      /** Returns the person's external id, if the platform set one and `serviceId` belongs to the person. */
      const externalIdOf = (environment: Environment, userId: UserId, serviceId: ConsumerId | undefined) =>
        serviceId === undefined
          ? Effect.undefined
          : Effect.map(
              consumers.findByServiceId(environment, serviceId),
              (found) => Option.getOrUndefined(Option.filter(found, (found) => found.userId === userId))?.externalId
            )

      const callOf = ({ scope }: WalletQuery, part: Pick<HookCall, "id" | "topic" | "body" | "target">): HookCall => ({
        hook: "wallet",
        environment: scope.environment,
        ...part
      })

      const credit = Effect.fnUntraced(function* (credit: WalletCredit) {
        const { refundId, scope, serviceId, userId } = credit
        const externalId = yield* externalIdOf(scope.environment, userId, serviceId)
        const part = { target, id: refundId, topic: "wallet.credit", body: creditBody(credit, externalId) }
        return outcomeOf(yield* hooks.ask(callOf(credit, part), readCreditAnswer))
      }, Effect.mapError(unavailable))

      const found = (answer: typeof LookupAnswer.Type): WalletKnowledge =>
        answer.status === "UNKNOWN" ? { _tag: "NotKnown" } : outcomeOf(answer)

      const notServed = ({ message, status }: HookFailed) =>
        Effect.as(
          Effect.logWarning(`${message} to a lookup; sending the credit again`).pipe(
            Effect.annotateLogs({ hook: "wallet", status })
          ),
          { _tag: "NotKnown" } as const
        )

      const lookup = Effect.fnUntraced(function* (query: WalletQuery) {
        const id = yield* Effect.provideContext(EventId.next, random)
        const part = { id, topic: "wallet.lookup", body: { refundId: query.refundId } }
        const call = callOf(query, { ...part, target: { ...target, url: lookupUrl(target.url) } })
        return yield* hooks.ask(call, readLookupAnswer).pipe(
          Effect.map(found),
          Effect.catchIf((failed) => withoutRoute.includes(failed.status), notServed)
        )
      }, Effect.mapError(unavailable))

      return Wallet.of({
        environments,
        credit: (given) => (isServed(given) ? credit(given) : Effect.succeed({ _tag: "Credited" })),
        lookup: (query) => (isServed(query) ? lookup(query) : Effect.succeed({ _tag: "NotKnown" }))
      })
    })
  )
