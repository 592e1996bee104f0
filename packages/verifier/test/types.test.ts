import { describe, expectTypeOf, it } from "vitest"
import type {
  ConsentGranted,
  DataRequestDenied,
  Handler,
  RefundCompleted,
  TransactionSettled,
  Verification,
  WebhookEvent
} from "../src/index.js"
import { type SignInput, samplePayloads } from "../src/testing.js"

// The compiler checks these. Running them only shows that the file is part of the suite.
describe("types", () => {
  it("a known event's topic tells its payload's type", () => {
    const read = (event: WebhookEvent) => {
      if (!event.known) {
        expectTypeOf(event.topic).toEqualTypeOf<string>()
        return expectTypeOf(event.payload).toEqualTypeOf<unknown>()
      }
      switch (event.topic) {
        case "transaction.settled":
          return expectTypeOf(event.payload).toEqualTypeOf<TransactionSettled>()
        case "refund.completed":
          return expectTypeOf(event.payload).toEqualTypeOf<RefundCompleted>()
        case "merchant.identity.consent_granted":
          return expectTypeOf(event.payload).toEqualTypeOf<ConsentGranted>()
        case "merchant.identity.request.denied":
          return expectTypeOf(event.payload).toEqualTypeOf<DataRequestDenied>()
        case "merchant.identity.request.approved":
          return expectTypeOf(event.payload.approvedFields).toEqualTypeOf<ReadonlyArray<string>>()
        case "kyc.verification.completed":
          return expectTypeOf(event.payload.status).toEqualTypeOf<"VERIFIED" | "FAILED" | "ERROR">()
        default:
          return expectTypeOf(event.payload).toBeObject()
      }
    }
    expectTypeOf(read).parameter(0).toEqualTypeOf<WebhookEvent>()
  })

  it("`ok` distinguishes an event from a reason", () => {
    const read = (result: Verification) => (result.ok ? result.event.id : result.reason)
    expectTypeOf(read).returns.toExtend<string>()
  })

  it("sign takes a known topic with its own payload, and any topic with text", () => {
    expectTypeOf({
      secrets: "",
      topic: "refund.completed",
      payload: samplePayloads["refund.completed"]
    } as const).toExtend<SignInput>()
    expectTypeOf({ secrets: [""], topic: "any.topic", payload: "{}" }).toExtend<SignInput>()
    expectTypeOf({
      secrets: "",
      topic: "refund.completed",
      payload: samplePayloads["transaction.settled"]
    } as const).not.toExtend<SignInput>()
  })

  it("a handler is a web handler, and takes what Node gives", () => {
    expectTypeOf<Handler>().toExtend<(request: Request) => Promise<Response>>()
    expectTypeOf<Handler["receive"]>().toBeCallableWith({
      headers: {} as import("node:http").IncomingHttpHeaders,
      body: {} as import("node:http").IncomingMessage
    })
  })
})
