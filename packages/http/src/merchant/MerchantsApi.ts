import { Environment } from "@surety/core/Environment"
import { ApiKeyId, MerchantId } from "@surety/core/Ids"
import { merchantApplicationFields } from "@surety/core/input/MerchantFields"
import { shownText } from "@surety/core/input/ShownText"
import { Moment } from "@surety/core/input/Text"
import { OverlapSeconds } from "@surety/core/input/WebhookFields"
import { KeyScope, KeyScopes } from "@surety/core/merchant/KeyScope"
import { ReturnUrls } from "@surety/core/merchant/ReturnUrl"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ProvisioningAccess } from "../access/OperatorAccess.js"
import { documented } from "../docs/Documented.js"
import { listOf } from "../field/Paging.js"
import { Timestamp } from "../field/Timestamp.js"
import { problems } from "../problem/ProblemDetails.js"
import { MerchantRecord } from "./MerchantRecord.js"
import { merchantNotActive } from "./MerchantRefusals.js"

/** The body of `POST /merchants` (specification 4.3). */
export const MerchantApplication = Schema.Struct({
  ...merchantApplicationFields,
  name: merchantApplicationFields.name.pipe(
    Schema.annotateEncoded({
      description: "The name by which customers know the merchant. Must not contain the platform's name."
    })
  ),
  returnUrls: Schema.optionalKey(
    ReturnUrls.annotateKey({
      description: "Where data requests may lead people back to (return_url): https origins with a path prefix."
    })
  )
}).annotate({
  identifier: "MerchantApplication"
})

const keyOptions = {
  name: Schema.optionalKey(shownText(120).pipe(Schema.annotateEncoded({ description: "What you call the key." }))),
  scopes: Schema.optionalKey(KeyScopes.annotateKey({ description: "What the key may do. Default: everything." })),
  expiresAt: Schema.optionalKey(Moment.annotateKey({ description: "When the key ends. Default: never." }))
}

export const ApiKeyRequest = Schema.Struct({ environment: Environment, ...keyOptions }).annotate({
  identifier: "ApiKeyRequest"
})

/**
 * The body of a key rotation. The old key expires after `overlapSeconds`, or at its own expiry if that is earlier.
 * Send 0 if it leaked.
 */
export const ApiKeyRotation = Schema.Struct({
  overlapSeconds: Schema.optionalKey(
    OverlapSeconds.annotateKey({ description: "Seconds for which the previous key stays in force. Default 86400." })
  ),
  expiresAt: keyOptions.expiresAt
}).annotate({ identifier: "ApiKeyRotation" })

const keyRecordOptions = {
  name: Schema.optionalKey(Schema.String),
  scopes: Schema.optionalKey(Schema.Array(KeyScope)),
  expiresAt: Schema.optionalKey(Timestamp)
}

export const ApiKeyRecord = Schema.Struct({
  id: ApiKeyId,
  merchantId: MerchantId,
  environment: Environment,
  last4: Schema.String,
  createdAt: Timestamp,
  ...keyRecordOptions,
  lastUsedAt: Schema.optionalKey(Timestamp.annotateKey({ description: "Accurate to about a minute." })),
  revokedAt: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "ApiKey" })

export const IssuedApiKeyRecord = Schema.Struct({
  id: ApiKeyId,
  merchantId: MerchantId,
  environment: Environment,
  secret: Schema.String.annotateKey({ description: "Shown only once. Keep it on your server." }),
  last4: Schema.String,
  createdAt: Timestamp,
  ...keyRecordOptions
}).annotate({ identifier: "IssuedApiKey" })

/** Not validated by the schema, because the handlers treat a malformed id like an unknown id. */
const merchantPath = { merchantId: Schema.String }

export const merchantRefusals = {
  create: {},
  get: { MerchantNotFound: "merchant_not_found" },
  createApiKey: { MerchantNotFound: "merchant_not_found", MerchantNotActive: merchantNotActive },
  rotateApiKey: {
    MerchantNotFound: "merchant_not_found",
    ApiKeyNotFound: "api_key_not_found",
    MerchantNotActive: merchantNotActive
  },
  listApiKeys: { MerchantNotFound: "merchant_not_found" },
  revokeApiKey: { MerchantNotFound: "merchant_not_found", ApiKeyNotFound: "api_key_not_found" }
} as const

/** Provisioning routes for merchants and their API keys (specification 4.3, contract 4). */
export class MerchantsApi extends HttpApiGroup.make("merchants")
  .add(
    HttpApiEndpoint.post("create", "/merchants", {
      payload: MerchantApplication,
      success: MerchantRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Create a merchant",
        description: "A new merchant waits for review, and can use the sandbox at once.",
        refusals: merchantRefusals.create
      })
    ),
    HttpApiEndpoint.get("get", "/merchants/:merchantId", {
      params: merchantPath,
      success: MerchantRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read a merchant",
        description: "With its status and business code.",
        refusals: merchantRefusals.get
      })
    ),
    HttpApiEndpoint.post("createApiKey", "/merchants/:merchantId/api-keys", {
      params: merchantPath,
      payload: ApiKeyRequest,
      success: IssuedApiKeyRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Create an API key",
        description: "Only this response contains the secret. A LIVE key needs an ACTIVE merchant.",
        refusals: merchantRefusals.createApiKey
      })
    ),
    HttpApiEndpoint.post("rotateApiKey", "/merchants/:merchantId/api-keys/:apiKeyId/rotate", {
      params: { ...merchantPath, apiKeyId: Schema.String },
      payload: ApiKeyRotation,
      success: IssuedApiKeyRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Rotate an API key",
        description:
          "Creates a key with the same name and scopes. Both are in force until the overlap ends. The body is optional.",
        bodyOptional: true,
        refusals: merchantRefusals.rotateApiKey
      })
    ),
    HttpApiEndpoint.get("listApiKeys", "/merchants/:merchantId/api-keys", {
      params: merchantPath,
      success: listOf(ApiKeyRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List API keys",
        description: "Newest first, including revoked and expired ones.",
        refusals: merchantRefusals.listApiKeys
      })
    ),
    HttpApiEndpoint.delete("revokeApiKey", "/merchants/:merchantId/api-keys/:apiKeyId", {
      params: { ...merchantPath, apiKeyId: Schema.String },
      success: HttpApiSchema.NoContent,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Revoke an API key",
        description: "It is refused everywhere within 5 seconds. Revoking it again changes nothing.",
        refusals: merchantRefusals.revokeApiKey
      })
    )
  )
  .middleware(ProvisioningAccess)
  .annotateMerge(
    OpenApi.annotations({
      title: "Merchants",
      description: "Provisioning: takes no merchant key. The deployment decides who may call it."
    })
  ) {}
