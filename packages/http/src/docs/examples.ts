import { consentExamples } from "./consentExamples.js"
import { eventExamples } from "./eventExamples.js"
import {
  apiKeyId,
  at,
  type Example,
  endpointId,
  later,
  merchantId,
  page,
  pageOfTest,
  refund,
  serviceId,
  transactionId,
  userId
} from "./exampleValues.js"
import { operatorExamples, settlementId } from "./operatorExamples.js"
import { peopleExamples } from "./peopleExamples.js"
import { sandboxExamples } from "./sandboxExamples.js"

const merchant = {
  id: merchantId,
  businessCode: "SRM-HJKM-NPQR-R",
  status: "PENDING_REVIEW",
  name: "Ada's Shop",
  legalName: "Ada Obi Trading Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@shop.example",
  supportEmail: "help@shop.example",
  websiteUrl: "https://shop.example",
  country: "NG",
  businessType: "retail",
  registrationNumber: "RC-1234567",
  createdAt: at,
  updatedAt: at
}

const operatorMerchant = {
  ...merchant,
  status: "ACTIVE",
  updatedAt: later,
  settings: { refundsEnabled: true, settlementOverdraft: false, purpose: "To deliver your orders." }
}

const apiKey = {
  id: apiKeyId,
  merchantId,
  environment: "TEST",
  last4: "9aZk",
  createdAt: at
}

const endpoint = {
  id: endpointId,
  merchantId,
  environment: "TEST",
  url: "https://shop.example/webhooks",
  topics: ["refund.completed"],
  status: "ENABLED",
  createdAt: at
}

const newEndpoint = { ...endpoint, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=" }
const endpointRecord = { ...endpoint, updatedAt: at }

const payment = {
  transactionId,
  merchantId,
  environment: "TEST",
  reference: "order-1001",
  amount: 2500.5,
  currency: "NGN",
  refundedAmount: 0,
  method: "WALLET",
  status: "SETTLED",
  userId,
  serviceId,
  createdAt: at,
  settledAt: at
}

const verification = {
  reference: "kyc_01k7wqab7tfb3s5v7x9z1c3e5g",
  providerReference: "sandbox_VMMMM_01k7wqab7tfb3s5v7x9z1c3e5g",
  status: "VERIFIED",
  kind: "bvn",
  serviceId,
  userId,
  tier: "TIER_2",
  checks: { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH", selfie: "MATCH" },
  provider: "sandbox",
  createdAt: at,
  completedAt: later
}

const consumer = {
  userId,
  serviceId,
  environment: "TEST",
  displayName: "Ada Obi",
  country: "NG",
  email: "ada@mail.example",
  phoneVerified: true,
  createdAt: at
}

/** Examples by operation. A test checks each against its schema. */
export const examples: Readonly<Record<string, Example>> = {
  ...peopleExamples,
  ...consentExamples,
  ...eventExamples,
  ...sandboxExamples,
  "account.whoami": {
    response: {
      merchantId,
      name: "Ada's Shop",
      status: "ACTIVE",
      environment: "TEST",
      sandboxAccess: true,
      liveAccess: true
    }
  },
  "refunds.create": {
    request: {
      transaction_id: transactionId,
      amount: 1000,
      currency: "NGN",
      reason: "One item was out of stock",
      merchant_reference: "return-77"
    },
    response: refund
  },
  "refunds.get": { response: refund },
  "refunds.list": { response: page(refund) },
  "verifications.submit": {
    request: {
      service_id: serviceId,
      kind: "bvn",
      id: "22222222222",
      verification_consent: true,
      tier: "TIER_2",
      validation: {
        first_name: "Ada",
        last_name: "Obi",
        date_of_birth: "1990-01-01",
        selfie: "data:image/jpeg;base64,/9j/4AAQSkZJRgABAQEASABIAAD/2Q=="
      }
    },
    response: verification
  },
  "verifications.get": { response: verification },
  "verifications.list": { response: page(verification) },
  "verifications.submitCode": { request: { code: "482913", channel: "phone" }, response: verification },
  "testHelpers.createConsumer": {
    request: { display_name: "Ada Obi", country: "NG", email: "ada@mail.example", phone_verified: true, linked: true },
    response: consumer
  },
  "testHelpers.createPayment": {
    request: { service_id: serviceId, amount: 2500.5, currency: "NGN", reference: "order-1001", settled: true },
    response: payment
  },
  "testHelpers.settlePayment": { request: {}, response: payment },
  "merchants.create": {
    request: {
      name: "Ada's Shop",
      legalName: "Ada Obi Trading Ltd",
      contactName: "Ada Obi",
      contactEmail: "ada@shop.example",
      supportEmail: "help@shop.example",
      websiteUrl: "https://shop.example",
      country: "Nigeria",
      businessType: "retail",
      registrationNumber: "RC-1234567"
    },
    response: merchant
  },
  "merchants.get": { response: merchant },
  "merchants.createApiKey": {
    request: { environment: "TEST" },
    response: { ...apiKey, secret: "sk_test_… (shown once)" }
  },
  "merchants.rotateApiKey": {
    request: { overlapSeconds: 3600 },
    response: { ...apiKey, secret: "sk_test_… (shown once)" }
  },
  "merchants.listApiKeys": { response: { data: [apiKey] } },
  "webhooks.register": {
    request: { url: "https://shop.example/webhooks", environment: "TEST", topics: ["refund.completed"] },
    response: newEndpoint
  },
  "webhooks.list": { response: { data: [endpointRecord] } },
  "webhooks.get": { response: endpointRecord },
  "webhooks.update": { request: { topics: ["refund.completed"], status: "ENABLED" }, response: endpointRecord },
  "webhooks.rotateSecret": { request: { overlapSeconds: 86_400 }, response: newEndpoint },
  "webhooks.test": {
    request: { topic: "refund.completed" },
    response: {
      id: "event_01kjmsv5tmeykryv3zm0a8x5rd",
      topic: "refund.completed",
      environment: "LIVE",
      occurredAt: "2026-03-01T09:30:00.000Z",
      version: "1",
      payload: {
        merchantId: "merchant_01kjmsv5tmeykryv3zm0a8x5ra",
        refundId: "refund_01kjmsv5tmeykryv3zm0a8x5rb",
        transactionId: "payment_01kjmsv5tmeykryv3zm0a8x5rc",
        reference: "test-event",
        amount: 0,
        currency: "NGN",
        reason: "A test event: nothing was refunded.",
        status: "COMPLETED",
        completedAt: "2026-03-01T09:30:00.000Z",
        merchantReference: "test-event"
      },
      test: true,
      delivery: {
        id: "delivery_01kjmsv5tmeykryv3zm0a8x5re",
        endpointId: "endpoint_01kjmsv5tmeykryv3zm0a8x5rf",
        status: "PENDING",
        attempts: [],
        nextAttemptAt: "2026-03-01T09:30:00.000Z",
        createdAt: "2026-03-01T09:30:00.000Z"
      }
    }
  },
  "webhooks.recover": {
    request: { since: "2026-03-01T00:00:00Z", until: "2026-03-02T00:00:00Z" },
    response: { due: 12 }
  },
  ...operatorExamples,
  "operator.listMerchants": { response: page(operatorMerchant) },
  "operator.changeSettings": {
    request: { settlementOverdraft: false, purpose: "To deliver your orders." },
    response: operatorMerchant
  },
  "operator.changeStatus": { request: { status: "ACTIVE", reason: "Papers checked" }, response: operatorMerchant },
  "operator.link": {
    request: { serviceId, environment: "TEST" },
    response: { merchantId, environment: "TEST", userId, serviceId }
  },
  "operator.listLinks": { response: pageOfTest({ userId, serviceId, linkedAt: at }) },
  "operator.createConsumer": {
    request: {
      environment: "TEST",
      displayName: "Ada Obi",
      country: "NG",
      email: "ada@mail.example",
      phoneVerified: true
    },
    response: consumer
  },
  "operator.listConsumers": { response: pageOfTest(consumer) },
  "operator.createPayment": {
    request: {
      merchantId,
      environment: "TEST",
      serviceId,
      amount: 2500.5,
      currency: "NGN",
      reference: "order-1001",
      method: "WALLET",
      settled: true
    },
    response: payment
  },
  "operator.listPayments": { response: pageOfTest(payment) },
  "operator.listVerifications": { response: pageOfTest({ merchantId, environment: "TEST", ...verification }) },
  "operator.balances": {
    response: pageOfTest({
      id: settlementId,
      environment: "TEST",
      kind: "SETTLEMENT",
      owner: merchantId,
      currency: "NGN",
      balance: "150050"
    })
  },
  "operator.trialBalance": {
    response: { balanced: true, lines: [{ environment: "TEST", currency: "NGN", debits: "500100", credits: "500100" }] }
  }
}
