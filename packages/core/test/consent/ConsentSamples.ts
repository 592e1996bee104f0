import { defaultAskLimits } from "@surety/core/consent/asking/AskLimits"
import { defaultConsentPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import type { Grant } from "@surety/core/consent/grant/Grant"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import type { Controller } from "@surety/core/consent/receipt/Receipt"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import type { ConsentContext } from "@surety/core/consent/request/decideConsent"
import type { DataRequestContext } from "@surety/core/consent/request/decideDataRequest"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import * as Ids from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { responses } from "@surety/testing/Responses"
import { DateTime } from "effect"
import * as Sandbox from "../Sandbox.js"

const numbered = (prefix: string, number: number): string =>
  Ids.fromUuid(prefix, `01900000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`)

export const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

export const grantId = (number: number): Ids.GrantId => Ids.GrantId.make(numbered("grant", number))
export const requestId = (number: number): Ids.DataRequestId => Ids.DataRequestId.make(numbered("datareq", number))
export const receiptId = (number: number): Ids.ReceiptId => Ids.ReceiptId.make(numbered("receipt", number))
export const eventId = (number: number): Ids.EventId => Ids.EventId.make(numbered("event", number))
export const readId = (number: number): Ids.IdentityReadId => Ids.IdentityReadId.make(numbered("read", number))

export const day = (days: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(2030, 0, 1) + days * 86_400_000)

export const fields = (...names: ReadonlyArray<string>): ReadonlyArray<IdentityField> =>
  names.map((name) => IdentityField.make(name))

export const scope: MerchantScope = {
  merchantId: Ids.MerchantId.make(numbered("merchant", 1)),
  environment: "TEST"
}

export const controller: Controller = {
  merchantId: scope.merchantId,
  businessCode: "SRM-K7QM-WX4T-A",
  name: "Ada Stores",
  legalName: "Ada Stores Ltd",
  country: "NG",
  email: "help@stores.example"
}

const person = {
  userId: Ids.UserId.make("user-1"),
  serviceId: ConsumerId.make("SR1-K7QM-WX4T-A")
}
export const { serviceId, userId } = person

export const request = (change: Partial<DataRequest> = {}): DataRequest => ({
  id: requestId(1),
  ...scope,
  ...person,
  requestedFields: fields("email", "country", "kyc_status"),
  purpose: "to ship your order",
  status: "PENDING",
  createdAt: day(0),
  expiresAt: day(7),
  ...change
})

export const grant = (change: Partial<Grant> = {}): Grant => ({
  id: grantId(1),
  ...scope,
  ...person,
  fields: fields("email", "country"),
  purpose: "to ship your order",
  origin: "HOST",
  grantedBy: { kind: "HOST" },
  status: "ACTIVE",
  grantedAt: day(0),
  expiresAt: day(180),
  ...change
})

export const consentContext = (now: DateTime.Utc): ConsentContext => ({
  now,
  grantId: grantId(100),
  receiptId: receiptId(100),
  decidedEventId: eventId(100),
  grantedEventId: eventId(101),
  platformEventId: eventId(102),
  policy: defaultConsentPolicy
})

export const requestContext = (change: Partial<DataRequestContext> = {}): DataRequestContext => ({
  scope,
  idempotencyKey: Sandbox.key("k"),
  fingerprints: [Fingerprint.make("k1.same")],
  now: day(1),
  requestId: requestId(100),
  link: {
    tokenHash: ConsentTokenHash.make("hash"),
    sealedUrl: { keyId: "k1", bytes: new Uint8Array([1, 2, 3]) }
  },
  policy: defaultConsentPolicy,
  limits: defaultAskLimits,
  responseOf: responses.dataRequest,
  ...change
})
