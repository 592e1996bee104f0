import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { Exchange, jsonAnswer } from "../Exchange.js"
import { identityRecord, identityRefusals } from "./IdentityApi.js"

/** Headers of a response with personal data, which must not be cached. */
const unkept = { "cache-control": "no-store" } as const

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "identity">,
  never,
  MerchantAccess | IdentityReads
> = HttpApiBuilder.group(
  Api,
  "identity",
  Effect.fnUntraced(function* (handlers) {
    const reads = yield* IdentityReads

    return handlers.handle("read", ({ query }) =>
      answer(
        identityRefusals.read,
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const identity = yield* reads.read(principal, {
            serviceId: query.service_id,
            apiKeyId: principal.apiKeyId,
            ...(query.fields === undefined ? {} : { fields: query.fields })
          })
          return jsonAnswer(yield* Exchange, JSON.stringify(identityRecord(identity)), 200, unkept)
        })
      )
    )
  })
)
