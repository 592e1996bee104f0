import { describe, expectTypeOf, it } from "vitest"
import {
  type AmountExceedsRefundable,
  BadRequest,
  type Client,
  createClient,
  type Event,
  isKnownProblem,
  type KnownProblem,
  type Page,
  PaymentNotSettled,
  type ProblemCode,
  type Refund,
  type RefundCompleted,
  type ServiceProblem,
  type TypedEvent
} from "../src/index.js"

// The compiler checks these types. Running these tests only shows that the suite includes this file.
describe("types", () => {
  it("a client is made of options alone, with an environment variable as it comes", () => {
    expectTypeOf(createClient).parameter(0).toExtend<{ readonly apiKey: string | undefined }>()
    expectTypeOf(createClient).returns.toEqualTypeOf<Client>()
  })

  it("requests have the wire's names, answers their literal types", () => {
    expectTypeOf<Client["refunds"]["create"]>().parameter(0).toHaveProperty("transaction_id")
    expectTypeOf<Client["refunds"]["create"]>().parameter(0).not.toHaveProperty("transactionId")
    expectTypeOf<Awaited<ReturnType<Client["refunds"]["create"]>>>().toEqualTypeOf<Refund>()
    expectTypeOf<Refund["status"]>().toEqualTypeOf<"PENDING" | "COMPLETED" | "FAILED">()
  })

  it("only what is never done twice takes an idempotency key", () => {
    expectTypeOf<Client["refunds"]["create"]>().toBeCallableWith({}, { idempotencyKey: "order-7" })
    // @ts-expect-error: a test helper takes no key
    expectTypeOf<Client["testHelpers"]["createConsumer"]>().toBeCallableWith({}, { idempotencyKey: "order-7" })
  })

  it("a list is a page when it is awaited, and records when it is walked through", () => {
    type List = ReturnType<Client["refunds"]["list"]>
    expectTypeOf<Awaited<List>>().toEqualTypeOf<Page<Refund>>()
    expectTypeOf<List>().toExtend<AsyncIterable<Refund>>()
  })

  it("an event's topic determines its payload", () => {
    const read = (event: TypedEvent) => {
      if (event.topic === "refund.completed") return expectTypeOf(event.payload).toEqualTypeOf<RefundCompleted>()
      if (event.topic === "kyc.verification.completed") return expectTypeOf(event.payload.status).toBeString()
      return expectTypeOf(event.payload).toBeObject()
    }
    expectTypeOf(read).parameter(0).toExtend<Event>()
    expectTypeOf<Awaited<ReturnType<Client["events"]["get"]>>>().toEqualTypeOf<TypedEvent>()
    expectTypeOf<Client["events"]["list"]>().returns.toExtend<AsyncIterable<TypedEvent>>()
    expectTypeOf<TypedEvent["topic"]>().toEqualTypeOf<Event["topic"]>()
  })

  it("a problem's class tells its code and its own members", () => {
    expectTypeOf<PaymentNotSettled["code"]>().toEqualTypeOf<"payment_not_settled">()
    expectTypeOf<AmountExceedsRefundable["refundable"]>().toEqualTypeOf<number>()
    expectTypeOf(PaymentNotSettled).instance.toExtend<BadRequest>()
    expectTypeOf(BadRequest).instance.toExtend<ServiceProblem>()
    expectTypeOf<ServiceProblem>().not.toHaveProperty("refundable")
  })

  it("known problems are distinguished by their code, and a switch can be exhaustive", () => {
    expectTypeOf<KnownProblem["code"]>().toEqualTypeOf<ProblemCode>()
    const read = (problem: KnownProblem) => {
      switch (problem.code) {
        case "amount_exceeds_refundable":
          return expectTypeOf(problem).toEqualTypeOf<AmountExceedsRefundable>()
        default:
          return expectTypeOf(problem.code).toEqualTypeOf<Exclude<ProblemCode, "amount_exceeds_refundable">>()
      }
    }
    expectTypeOf(read).parameter(0).toEqualTypeOf<KnownProblem>()
    expectTypeOf(isKnownProblem).guards.toEqualTypeOf<KnownProblem>()
  })
})
