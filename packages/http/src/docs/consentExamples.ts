import { apiKeyId, at, type Example, later, merchantId, page, pageOfTest, serviceId, userId } from "./exampleValues.js"

const dataRequestId = "datareq_01k7wqaa10f8tq6x1m3c2a9zr4"
const grantId = "grant_01k7wqaa9qe3s5v7x9z1c3e5g7"
const controller = {
  merchantId,
  businessCode: "SRM-HJKM-NPQR-R",
  name: "Ada's Shop",
  legalName: "Ada Obi Trading Ltd",
  country: "NG",
  email: "help@shop.example",
  url: "https://shop.example"
}
const purpose = "To deliver your order and to reach you about it."

const newDataRequest = {
  id: dataRequestId,
  serviceId,
  requestedFields: ["display_name", "email"],
  status: "PENDING",
  createdAt: at,
  expiresAt: "2026-03-08T09:30:00.000Z"
}

const approvedFields = { status: "APPROVED", approvedFields: ["display_name"], grantId, decidedAt: later }
const dataRequest = { ...newDataRequest, ...approvedFields }
const deniedRequest = { ...newDataRequest, status: "DENIED", decidedAt: later }

const grant = {
  id: grantId,
  serviceId,
  fields: ["display_name"],
  purpose,
  status: "ACTIVE",
  origin: "REQUEST",
  dataRequestId,
  grantedAt: later,
  expiresAt: "2026-08-28T10:15:30.250Z"
}

const revokedGrant = { ...grant, status: "REVOKED", revokedAt: "2026-03-02T08:00:00.000Z" }

const ownership = { merchantId, environment: "LIVE", userId }
const clerk = { kind: "OPERATOR", name: "support-desk-3" }
const operatorDataRequest = { ...dataRequest, ...ownership, purpose, decidedBy: clerk }
const { dataRequestId: _, ...ungrounded } = grant
const operatorGrant = { ...ungrounded, ...ownership, origin: "OPERATOR", grantedBy: clerk }

const receipt = {
  id: "receipt_01k7wqab0zf1h3k5n7q9s1v3x5",
  sequence: 1,
  previousHash: "0".repeat(64),
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  userId,
  receipt: {
    schemaVersion: "ISO/IEC TS 27560:2023; service 1.0",
    receiptId: "receipt_01k7wqab0zf1h3k5n7q9s1v3x5",
    recordId: grantId,
    environment: "LIVE",
    principal: { serviceId },
    controller,
    recipients: [{ name: "Ada Obi Trading Ltd", role: "controller" }],
    purpose,
    lawfulBasis: "consent",
    dataFields: ["display_name"],
    processing: {
      collectionMethod: "Read from the platform's records of the person at the time of each reading.",
      processingMethod: "Used by the merchant for the purpose named here, and for no other."
    },
    storage: { locations: ["NG"], retentionPeriod: "No longer than the consent is in force." },
    withdrawalMethod: "At any time with the platform; reading stops with the merchant's next request.",
    notice: { version: "1.0", language: "en" },
    jurisdiction: "NG",
    events: [
      { state: "REQUESTED", time: at, actor: { kind: "MERCHANT" }, validUntil: "2026-03-08T09:30:00.000Z" },
      { state: "GRANTED", time: later, actor: { kind: "PERSON" }, validUntil: "2026-08-28T10:15:30.250Z" }
    ]
  }
}

const { userId: _userId, ...proof } = receipt
const grantReceipt = {
  ...proof,
  jws: "eyJhbGciOiJFZERTQSIsImtpZCI6Ims3IiwidHlwIjoiY29uc2VudC1yZWNlaXB0K2p3cyJ9.eyJyZWNlaXB0Ijp7fX0.c2lnbmF0dXJl"
}

export const consentExamples: Readonly<Record<string, Example>> = {
  "dataRequests.create": {
    request: { service_id: serviceId, requested_fields: ["display_name", "email"], purpose },
    response: { ...newDataRequest, consentUrl: "https://pay.example/consent/mQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMf" }
  },
  "dataRequests.list": { response: page(dataRequest) },
  "dataRequests.get": { response: dataRequest },
  "dataRequests.cancel": {
    request: {},
    response: { ...newDataRequest, status: "CANCELLED", decidedAt: later }
  },
  "grants.list": { response: page(grant) },
  "grants.get": { response: grant },
  "grants.receipts": { response: { data: [grantReceipt] } },
  "identity.read": {
    response: {
      serviceId,
      fields: { service_id: serviceId, display_name: "Ada Obi" },
      notApproved: { email: "denied", kyc_status: "never_requested" }
    }
  },
  "testHelpers.approveDataRequest": { request: { fields: ["display_name"] }, response: dataRequest },
  "testHelpers.denyDataRequest": { request: {}, response: deniedRequest },
  "testHelpers.expireDataRequest": { request: {}, response: { ...newDataRequest, status: "EXPIRED" } },
  "testHelpers.revokeGrant": { request: {}, response: revokedGrant },
  "testHelpers.expireGrant": { request: {}, response: { ...grant, status: "EXPIRED" } },
  "operatorConsent.listPendingDataRequests": {
    response: pageOfTest({
      ...newDataRequest,
      ...ownership,
      purpose,
      controller,
      consentUrl: "https://pay.example/consent/mQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMf"
    })
  },
  "operatorConsent.listDisownedDataRequests": {
    response: pageOfTest({ ...deniedRequest, ...ownership, purpose, denialReason: "NOT_ME", decidedBy: clerk })
  },
  "operatorConsent.listDataRequests": { response: pageOfTest(operatorDataRequest) },
  "operatorConsent.approveDataRequest": {
    request: { fields: ["display_name"], actor: "support-desk-3" },
    response: operatorDataRequest
  },
  "operatorConsent.denyDataRequest": {
    request: { reason: "NOT_ME", actor: "support-desk-3" },
    response: { ...deniedRequest, ...ownership, purpose, denialReason: "NOT_ME", decidedBy: clerk }
  },
  "operatorConsent.grant": {
    request: { merchantId, serviceId, fields: ["display_name"], purpose, actor: "support-desk-3" },
    response: operatorGrant
  },
  "operatorConsent.listGrants": { response: pageOfTest(operatorGrant) },
  "operatorConsent.revokeGrant": {
    request: { reason: "Asked for by telephone", actor: "support-desk-3" },
    response: {
      ...operatorGrant,
      status: "REVOKED",
      revokedAt: "2026-03-02T08:00:00.000Z",
      revokedBy: clerk,
      revocationReason: "Asked for by telephone"
    }
  },
  "operatorConsent.issueConsentLink": {
    request: { serviceId, days: 3 },
    response: {
      serviceId,
      environment: "LIVE",
      url: "https://pay.example/consents/3q2-7wXh9ZkLmN0pQrStUvWxYz1234567890AbCdEfG",
      expiresAt: later
    }
  },
  "operatorConsent.listIdentityReads": {
    response: pageOfTest({
      id: "read_01k7wqacd2e7n9q1s3v5x7z9b1",
      ...ownership,
      serviceId,
      fields: ["service_id", "display_name"],
      apiKeyId: apiKeyId,
      readAt: later
    })
  },
  "operatorConsent.listAskingBlocks": {
    response: pageOfTest({ ...ownership, serviceId, reason: "NOT_ME", dataRequestId: dataRequest.id, blockedAt: later })
  },
  "operatorConsent.listReceipts": { response: pageOfTest(receipt) }
}
