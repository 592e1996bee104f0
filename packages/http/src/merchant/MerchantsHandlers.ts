import { ApiKeyId, MerchantId } from "@surety/core/Ids"
import type { ApiKey } from "@surety/core/merchant/ApiKey"
import { ApiKeys, type IssuedApiKey } from "@surety/core/merchant/ApiKeys"
import { Merchants } from "@surety/core/merchant/Merchants"
import { apiKeyChanged, apiKeyRotated, merchantCreated } from "@surety/core/operator/actionDrafts"
import type { OperatorActions } from "@surety/core/operator/OperatorActions"
import { Requests } from "@surety/core/request/Requests"
import { DateTime, Duration, Effect, type Layer, Redacted } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import type { ProvisioningAccess } from "../access/OperatorAccess.js"
import { pathId } from "../field/PathId.js"
import { formOf, readForm } from "../form/Form.js"
import { makeProvisioning } from "../operator/ActingOperator.js"
import { inBody } from "../problem/Fault.js"
import { problemOfFaults } from "../problem/Problem.js"
import { merchantRecord } from "./MerchantRecord.js"
import {
  type ApiKeyRecord,
  ApiKeyRequest,
  ApiKeyRotation,
  type IssuedApiKeyRecord,
  MerchantApplication,
  merchantRefusals
} from "./MerchantsApi.js"

const merchantIn = pathId(MerchantId, "merchant_not_found")
const apiKeyIn = pathId(ApiKeyId, "api_key_not_found")

const application = formOf(MerchantApplication)
const apiKeyRequest = formOf(ApiKeyRequest)
const apiKeyRotation = formOf(ApiKeyRotation)

const requireFuture = Effect.fnUntraced(function* (expiresAt: DateTime.Utc | undefined) {
  if (expiresAt === undefined || DateTime.isGreaterThan(expiresAt, yield* DateTime.now)) return
  yield* problemOfFaults([
    inBody(["expiresAt"], "expiry_past", "Expected a time in the future. Omit it for a key that does not expire.")
  ])
})

const apiKeyRecord = ({ hash: _, ...key }: ApiKey): typeof ApiKeyRecord.Type => key

const issuedRecord = ({ key, secret }: IssuedApiKey): typeof IssuedApiKeyRecord.Type => ({
  ...apiKeyRecord(key),
  secret: Redacted.value(secret)
})

const defaultOverlapSeconds = 86_400

/** Actor recorded in the status history for a merchant's creation, even if an operator sent the request. */
const applicant = "applicant"

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "merchants">,
  never,
  ProvisioningAccess | OperatorActions | Merchants | ApiKeys | Requests
> = HttpApiBuilder.group(
  Api,
  "merchants",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const keys = yield* ApiKeys
    const provisioning = yield* makeProvisioning
    const requests = yield* Requests

    return handlers
      .handleRaw("create", ({ request }) =>
        answer(
          merchantRefusals.create,
          Effect.gen(function* () {
            const { contactEmail, contactName, returnUrls, ...profile } = yield* readForm(request, application)
            const applied = merchants.apply(
              {
                ...profile,
                contactName: Redacted.make(contactName),
                contactEmail: Redacted.make(contactEmail)
              },
              applicant,
              returnUrls === undefined ? {} : { returnUrls }
            )
            return merchantRecord(yield* provisioning(applied, merchantCreated))
          })
        )
      )
      .handle("get", ({ params }) =>
        answer(
          merchantRefusals.get,
          Effect.flatMap(merchantIn(params.merchantId), (id) => Effect.map(merchants.get(id), merchantRecord))
        )
      )
      .handleRaw("createApiKey", ({ params, request }) =>
        answer(
          merchantRefusals.createApiKey,
          Effect.gen(function* () {
            const { environment, ...options } = yield* readForm(request, apiKeyRequest)
            yield* requireFuture(options.expiresAt)
            const issued = keys.issue(yield* merchantIn(params.merchantId), environment, options)
            return issuedRecord(yield* provisioning(issued, (made) => apiKeyChanged("api_key.created")(made.key)))
          })
        )
      )
      .handleRaw("rotateApiKey", ({ params, request }) =>
        answer(
          merchantRefusals.rotateApiKey,
          Effect.gen(function* () {
            const { overlapSeconds = defaultOverlapSeconds, ...options } = yield* readForm(request, apiKeyRotation, {
              whenEmpty: "empty object"
            })
            yield* requireFuture(options.expiresAt)
            const { id } = yield* merchants.get(yield* merchantIn(params.merchantId))
            const overlap = Duration.seconds(overlapSeconds)
            const replaced = yield* apiKeyIn(params.apiKeyId)
            const rotated = keys.rotate(id, replaced, { ...options, overlap })
            return issuedRecord(yield* provisioning(rotated, (made) => apiKeyRotated(replaced)(made.key)))
          })
        )
      )
      .handle("listApiKeys", ({ params }) =>
        answer(
          merchantRefusals.listApiKeys,
          Effect.gen(function* () {
            const { id } = yield* merchants.get(yield* merchantIn(params.merchantId))
            // Stores this process's recent requests first, so that `lastUsedAt` reflects them.
            yield* requests.store
            const list = yield* keys.list(id)
            return { data: list.map(apiKeyRecord) }
          })
        )
      )
      .handle("revokeApiKey", ({ params }) =>
        answer(
          merchantRefusals.revokeApiKey,
          Effect.gen(function* () {
            const { id } = yield* merchants.get(yield* merchantIn(params.merchantId))
            const keyId = yield* apiKeyIn(params.apiKeyId)
            const revoked = Effect.all({ isNew: keys.revoke(id, keyId), all: keys.list(id) })
            yield* provisioning(revoked, ({ all, isNew }) =>
              isNew ? all.filter((key) => key.id === keyId).map(apiKeyChanged("api_key.revoked"))[0] : undefined
            )
          })
        )
      )
  })
)
