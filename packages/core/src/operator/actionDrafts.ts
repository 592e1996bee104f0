import { Record } from "effect"
import type { AskingBlock } from "../consent/asking/AskingBlock.js"
import type { Grant } from "../consent/grant/Grant.js"
import type { EndedGrant } from "../consent/grant/Grants.js"
import type { DataRequest } from "../consent/request/DataRequest.js"
import type { Consumer } from "../consumer/Consumer.js"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { EndpointEnabled } from "../event/EndpointEvents.js"
import type { WebhookEndpoint } from "../event/WebhookEndpoint.js"
import type { ApiKeyId, EventId, MerchantId } from "../Ids.js"
import type { ApiKey } from "../merchant/ApiKey.js"
import type { Merchant, MerchantScope, MerchantSettings, MerchantStatusChange } from "../merchant/Merchant.js"
import type { Payment } from "../payment/Payment.js"
import type { ActionChange, OperatorActionDraft, OperatorActionKind } from "./OperatorAction.js"

// Functions that describe operators' changes as action drafts. No draft may contain a consumer's personal details.

type Kind<Prefix extends string> = Extract<OperatorActionKind, `${Prefix}.${string}`>

const none: ReadonlyArray<ActionChange> = []

const changesOf = (
  fields: Readonly<Record<string, readonly [from: string | boolean | undefined, to: string | boolean | undefined]>>
): ReadonlyArray<ActionChange> =>
  Object.entries(fields).flatMap(([field, [from, to]]) =>
    from === to ? [] : [{ field, from: from ?? null, to: to ?? null }]
  )

const reasonOf = (reason: string | undefined) => (reason === undefined ? {} : { reason })

/** Returns the field `actor`: the caller's own name for the acting user or system. */
const actedFor = (name: string | undefined): ReadonlyArray<ActionChange> =>
  name === undefined ? none : [{ field: "actor", to: name }]

export const merchantCreated = ({ id }: Merchant): OperatorActionDraft => ({
  kind: "merchant.created",
  target: id,
  merchantId: id,
  changes: none
})

export const statusChanged = ({ from, merchantId, reason, to }: MerchantStatusChange): OperatorActionDraft => ({
  kind: "merchant.status_changed",
  target: merchantId,
  merchantId,
  ...reasonOf(reason),
  changes: changesOf({ status: [from, to] })
})

/** Omitting a setting here is a compile error. */
const shownSettings = ({ purpose, refundsEnabled, returnUrls, settlementOverdraft }: MerchantSettings) =>
  ({
    refundsEnabled,
    settlementOverdraft,
    purpose,
    returnUrls: returnUrls?.join(" ")
  }) satisfies Record<keyof MerchantSettings, string | boolean | undefined>

export const settingsChanged = (
  merchantId: MerchantId,
  before: MerchantSettings,
  after: MerchantSettings
): OperatorActionDraft | undefined => {
  const shown = shownSettings(after)
  const changes = changesOf(Record.map(shownSettings(before), (from, field) => [from, shown[field]] as const))
  return changes.length === 0
    ? undefined
    : { kind: "merchant.settings_changed", target: merchantId, merchantId, changes }
}

export const apiKeyChanged =
  (kind: Kind<"api_key">) =>
  ({ environment, id, merchantId }: Pick<ApiKey, "environment" | "id" | "merchantId">): OperatorActionDraft => ({
    kind,
    target: id,
    environment,
    merchantId,
    changes: none
  })

export const apiKeyRotated =
  (replaced: ApiKeyId) =>
  ({ environment, id, merchantId }: Pick<ApiKey, "environment" | "id" | "merchantId">): OperatorActionDraft => ({
    kind: "api_key.rotated",
    target: replaced,
    environment,
    merchantId,
    changes: [{ field: "replacedBy", to: id }]
  })

export const consumerCreated = ({ environment, serviceId }: Consumer): OperatorActionDraft => ({
  kind: "consumer.created",
  target: serviceId,
  environment,
  serviceId,
  changes: none
})

export const linkChanged = (
  kind: Kind<"link">,
  { environment, merchantId }: MerchantScope,
  serviceId: ConsumerId
): OperatorActionDraft => ({ kind, target: serviceId, environment, merchantId, serviceId, changes: none })

export const paymentRecorded = ({
  amount,
  environment,
  id,
  merchantId,
  serviceId,
  status
}: Payment): OperatorActionDraft => ({
  kind: "payment.recorded",
  target: id,
  environment,
  merchantId,
  ...(serviceId === undefined ? {} : { serviceId }),
  changes: [
    { field: "amountMinor", to: amount.minor.toString() },
    { field: "currency", to: amount.currency },
    { field: "status", to: status }
  ]
})

export const dataRequestDecided =
  (kind: Kind<"data_request">, actor: string | undefined, reason?: string) =>
  ({ environment, id, merchantId, serviceId }: DataRequest): OperatorActionDraft => ({
    kind,
    target: id,
    environment,
    merchantId,
    serviceId,
    ...reasonOf(reason),
    changes: actedFor(actor)
  })

export const grantChanged =
  (kind: Kind<"grant">, actor: string | undefined, reason?: string) =>
  ({ environment, id, merchantId, serviceId }: Grant): OperatorActionDraft => ({
    kind,
    target: id,
    environment,
    merchantId,
    serviceId,
    ...reasonOf(reason),
    changes: actedFor(actor)
  })

/** Builds a function that describes a revocation. The function returns undefined if the grant had already ended. */
export const grantRevoked =
  (actor: string | undefined, reason?: string) =>
  ({ grant, isNew }: EndedGrant): OperatorActionDraft | undefined =>
    isNew ? grantChanged("grant.revoked", actor, reason)(grant) : undefined

export const consentLinkIssued = ({
  environment,
  serviceId
}: Pick<Consumer, "environment" | "serviceId">): OperatorActionDraft => ({
  kind: "consent_link.issued",
  target: serviceId,
  environment,
  serviceId,
  changes: none
})

export const askingBlockLifted = (
  { environment, merchantId }: MerchantScope,
  serviceId: AskingBlock["serviceId"],
  reason: AskingBlock["reason"]
): OperatorActionDraft => ({
  kind: "asking_block.lifted",
  target: serviceId,
  environment,
  merchantId,
  serviceId,
  changes: [{ field: "block", from: reason }]
})

export const endpointChanged =
  (kind: Kind<"endpoint">, changes: ReadonlyArray<ActionChange> = none) =>
  ({
    environment,
    id,
    merchantId
  }: Pick<WebhookEndpoint, "environment" | "id" | "merchantId">): OperatorActionDraft => ({
    kind,
    target: id,
    environment,
    merchantId,
    changes
  })

export const endpointUpdated = (before: WebhookEndpoint, after: WebhookEndpoint): OperatorActionDraft | undefined => {
  const changes = endpointChanges(before, after)
  return changes.length === 0 ? undefined : endpointChanged("endpoint.changed", changes)(after)
}

/**
 * Describes the enabling of an endpoint, which also makes due what it missed. Returns undefined if it changed nothing and
 * the endpoint had missed nothing.
 */
export const endpointEnabled = (
  before: WebhookEndpoint,
  { endpoint, since }: EndpointEnabled
): OperatorActionDraft | undefined => {
  const changes = endpointChanges(before, endpoint)
  return changes.length === 0 && since === undefined
    ? undefined
    : endpointChanged("endpoint.changed", changes)(endpoint)
}

/** A url may contain a token in its path, so only the fact that it changed is recorded. */
export const endpointChanges = (before: WebhookEndpoint, after: WebhookEndpoint): ReadonlyArray<ActionChange> => [
  ...(before.url === after.url ? none : [{ field: "url" }]),
  ...changesOf({
    status: [before.status, after.status],
    topics: [before.topics.join(","), after.topics.join(",")],
    maxPerSecond: [before.maxPerSecond?.toString(), after.maxPerSecond?.toString()]
  })
]

/** Describes the resending of an event. Returns undefined if no delivery became due. */
export const eventResent = (
  { environment, merchantId }: MerchantScope,
  eventId: EventId,
  scheduled: number
): OperatorActionDraft | undefined =>
  scheduled === 0 ? undefined : { kind: "event.resent", target: eventId, environment, merchantId, changes: none }
