import { at, type Example, later, merchantId, page, refund } from "./exampleValues.js"

const clock = { now: "2026-03-08T09:30:00.000Z", advancedSeconds: 604_800 }

export const sandboxExamples: Readonly<Record<string, Example>> = {
  "testHelpers.settleRefund": { request: { outcome: "completed" }, response: refund },
  "testHelpers.switchRefunds": {
    request: { refundsEnabled: false },
    response: { merchantId, environment: "TEST", refundsEnabled: false }
  },
  "testHelpers.clock": { response: { now: at, advancedSeconds: 0 } },
  "testHelpers.advanceClock": { request: { advance_seconds: 604_800 }, response: clock },
  "requests.list": {
    response: page({
      method: "POST",
      route: "/v1/refunds",
      status: 409,
      code: "already_refunded",
      requestId: "5f0c1a52-7c1e-4d0b-9f43-2a1d3c4b5e6f",
      keyLast4: "9aZk",
      at: later
    })
  }
}
