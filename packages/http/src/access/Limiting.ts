import { clientOfAddress, unknownClient } from "@surety/core/limit/ClientAddress"
import { RateLimiter, type RateVerdict } from "@surety/core/limit/RateLimiter"
import { countRefused } from "@surety/core/limit/RefusedRequests"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Context, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { ExchangeShape } from "../Exchange.js"
import { type Problem, problem } from "../problem/Problem.js"
import { retryAfterField } from "./RateLimitFields.js"
import { type RateLimitName, RateLimits } from "./RateLimits.js"

type Request = HttpServerRequest.HttpServerRequest

/**
 * The per-address bucket that a request counts against. Behind a proxy that is not configured as trusted, all clients
 * share one address. Separate buckets then keep failed API keys from blocking a valid operator token.
 */
export type CredentialKind = "api-key" | "no-credential" | "operator-token" | "provisioning" | "callback"

type AttemptLimit = (
  request: Request,
  exchange: ExchangeShape,
  attempt: CredentialKind
) => Effect.Effect<Problem | undefined>

/** Counts requests and refuses those over a limit. Response headers show the remaining quota. */
export class Limiting extends Context.Service<
  Limiting,
  {
    /** Counts a merchant's request. Returns the refusal if it exceeds the limit. */
    readonly merchant: (
      name: Exclude<RateLimitName, "provisioning">,
      scope: MerchantScope,
      exchange: ExchangeShape
    ) => Effect.Effect<Problem | undefined>

    /** Counts an attempt against its address. Returns the refusal if it exceeds the limit. */
    readonly address: AttemptLimit

    /** Returns the refusal if the address has exhausted its limit, without counting an attempt. */
    readonly barred: AttemptLimit
  }
>()("@surety/http/access/Limiting") {}

const nothing = Effect.succeed(undefined)

const refusalOf = (verdict: RateVerdict): Effect.Effect<Problem> =>
  Effect.as(
    countRefused(verdict.limit.name),
    problem("rate_limited", {
      detail: `The limit "${verdict.limit.name}" is used up: at most ${verdict.limit.burst} at once, then ${verdict.limit.perSecond} a second.`,
      headers: retryAfterField(verdict)
    })
  )

/**
 * Returns the id of the client that a request counts against (`clientOfAddress`). It derives from the address of the
 * connection, or from the address reported by a trusted proxy. Requests without an address, such as web `Request`s
 * that a host passes on, all count as one client.
 */
const clientOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
  Option.match(remoteAddress, { onNone: () => unknownClient, onSome: clientOfAddress })

export const layer: Layer.Layer<Limiting, never, RateLimiter> = Layer.effect(
  Limiting,
  Effect.gen(function* () {
    const limiter = yield* RateLimiter
    const limits = yield* RateLimits

    const merchant: Limiting["Service"]["merchant"] = (name, { environment, merchantId }, exchange) => {
      const limit = limits[name]
      return limit === undefined
        ? nothing
        : Effect.flatMap(limiter.take(limit, `${merchantId} ${environment}`), (verdict) => {
            exchange.limited = verdict
            return verdict.isAllowed ? nothing : refusalOf(verdict)
          })
    }

    const byAddress =
      (verb: "take" | "peek"): AttemptLimit =>
      (request, exchange, attempt) => {
        const { provisioning } = limits
        return provisioning === undefined
          ? nothing
          : Effect.flatMap(limiter[verb](provisioning, `${clientOf(request)} ${attempt}`), (verdict) => {
              if (verb === "take" || !verdict.isAllowed) exchange.limited = verdict
              return verdict.isAllowed ? nothing : refusalOf(verdict)
            })
      }

    return Limiting.of({ merchant, address: byAddress("take"), barred: byAddress("peek") })
  })
)
