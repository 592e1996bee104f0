import { Schema } from "effect"
import { Environment } from "../Environment.js"
import { ApiKeyId, EndpointId, MerchantId } from "../Ids.js"
import { MerchantStatus } from "./Merchant.js"

export class MerchantNotFound extends Schema.TaggedError<MerchantNotFound>(
  "@surety/core/merchant/MerchantError/MerchantNotFound"
)("MerchantNotFound", { merchantId: MerchantId }) {
  override get message(): string {
    return `Merchant ${this.merchantId} does not exist.`
  }
}

export class ExternalIdNotFound extends Schema.TaggedError<ExternalIdNotFound>(
  "@surety/core/merchant/MerchantError/ExternalIdNotFound"
)("ExternalIdNotFound", { externalId: Schema.String }) {
  override get message(): string {
    return "No merchant has this external id."
  }
}

/** Another merchant already has this external id, so no merchant was created. */
export class ExternalIdTaken extends Schema.TaggedError<ExternalIdTaken>(
  "@surety/core/merchant/MerchantError/ExternalIdTaken"
)("ExternalIdTaken", { externalId: Schema.String }) {
  override get message(): string {
    return "Another merchant has this external id."
  }
}

/** The merchant's status does not allow the operation in this environment. */
export class MerchantNotActive extends Schema.TaggedError<MerchantNotActive>(
  "@surety/core/merchant/MerchantError/MerchantNotActive"
)("MerchantNotActive", { merchantId: MerchantId, environment: Environment, status: MerchantStatus }) {
  override get message(): string {
    return `Merchant ${this.merchantId} is ${this.status}, which does not allow this in ${this.environment}.`
  }
}

export class StatusChangeNotAllowed extends Schema.TaggedError<StatusChangeNotAllowed>(
  "@surety/core/merchant/MerchantError/StatusChangeNotAllowed"
)("StatusChangeNotAllowed", {
  merchantId: MerchantId,
  from: MerchantStatus,
  to: MerchantStatus,
  allowed: Schema.Array(MerchantStatus)
}) {
  override get message(): string {
    return `A merchant cannot change from ${this.from} to ${this.to}.`
  }
}

/** The key is malformed, unknown, revoked or expired. One error covers all of these, so that keys cannot be probed. */
export class InvalidApiKey extends Schema.TaggedError<InvalidApiKey>(
  "@surety/core/merchant/MerchantError/InvalidApiKey"
)("InvalidApiKey", {}) {
  override get message(): string {
    return "The API key is malformed, unknown, revoked or expired."
  }
}

export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>(
  "@surety/core/merchant/MerchantError/ApiKeyNotFound"
)("ApiKeyNotFound", { apiKeyId: ApiKeyId }) {
  override get message(): string {
    return `The merchant has no API key ${this.apiKeyId}.`
  }
}

export class EndpointNotFound extends Schema.TaggedError<EndpointNotFound>(
  "@surety/core/merchant/MerchantError/EndpointNotFound"
)("EndpointNotFound", { endpointId: EndpointId }) {
  override get message(): string {
    return `The merchant has no webhook endpoint ${this.endpointId}.`
  }
}

/** The endpoint is disabled, so it can receive nothing until it is enabled. */
export class EndpointDisabled extends Schema.TaggedError<EndpointDisabled>(
  "@surety/core/merchant/MerchantError/EndpointDisabled"
)("EndpointDisabled", { endpointId: EndpointId }) {
  override get message(): string {
    return `Webhook endpoint ${this.endpointId} is disabled; enable it first.`
  }
}

/** The merchant already has `limit` webhook endpoints, the maximum. */
export class TooManyEndpoints extends Schema.TaggedError<TooManyEndpoints>(
  "@surety/core/merchant/MerchantError/TooManyEndpoints"
)("TooManyEndpoints", { merchantId: MerchantId, limit: Schema.Int }) {
  override get message(): string {
    return `A merchant may have at most ${this.limit} webhook endpoints.`
  }
}
