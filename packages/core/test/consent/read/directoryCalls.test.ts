import { assert, describe, it } from "@effect/vitest"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { ConsumerDirectory, DirectoryUnavailable } from "@surety/core/consumer/ConsumerDirectory"
import { type HostError, HostErrors } from "@surety/core/host/HostErrors"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Cause, Effect, Layer, Logger, Redacted } from "effect"
import { assertMasked } from "../../host/assertMasked.js"
import * as Sandbox from "../../Sandbox.js"
import * as ConsentSandbox from "../ConsentSandbox.js"

/** Builds a directory that records its calls. If it fails, the error contains the person's ids. */
const directoryOf = (behaviour: "answers" | "fails") => {
  const calls: Array<ReadonlyArray<string>> = []
  const layer = Layer.succeed(ConsumerDirectory, {
    values: ({ serviceId, userId }, fields) => {
      calls.push(fields)
      return behaviour === "answers"
        ? Effect.succeed({ email: Redacted.make("ada@mail.example") })
        : Effect.fail(new DirectoryUnavailable({ cause: new Error(`no row of ${userId}, known as ${serviceId}`) }))
    }
  })
  return { calls, layer }
}

const approved = Effect.fnUntraced(function* (scope: MerchantScope, consumer: Consumer, duration?: "ONE_TIME") {
  const requests = yield* DataRequests
  const { request } = yield* requests.create(scope, Sandbox.key("k"), {
    serviceId: consumer.serviceId,
    requestedFields: ConsentSandbox.fields("email"),
    purpose: undefined,
    ...(duration === undefined ? {} : { duration })
  })
  yield* requests.approve({ id: request.id, scope }, { actor: { kind: "PERSON" } })
})

describe("The call of the directory", () => {
  it.effect("is made once a read, whether the consent is for one read or for many", () =>
    Effect.forEach(["ONE_TIME", undefined] as const, (duration) => {
      const { calls, layer } = directoryOf("answers")
      return Effect.gen(function* () {
        const { consumer, scope } = yield* ConsentSandbox.merchantAndPerson("TEST")
        yield* approved(scope, consumer, duration)
        const fields = ConsentSandbox.fields("email")
        yield* (yield* IdentityReads).read(scope, { serviceId: consumer.serviceId, fields })
        assert.deepStrictEqual(calls, [["email"]])
      }).pipe(Effect.provide(Layer.fresh(Sandbox.layerWith(layer))))
    })
  )

  it.effect("that fails is the host's to know whole, and logged without the person's ids", () => {
    const errors: Array<HostError> = []
    const lines: Array<string> = []
    const logger = Logger.make(({ cause, message }) => void lines.push(`${String(message)} ${Cause.pretty(cause)}`))
    return Effect.gen(function* () {
      const { consumer, scope } = yield* ConsentSandbox.merchantAndPerson("TEST")
      yield* approved(scope, consumer)
      const reads = yield* IdentityReads
      yield* Effect.flip(reads.read(scope, { serviceId: consumer.serviceId })).pipe(
        Effect.provideService(HostErrors, (error) => errors.push(error)),
        Effect.provide(Logger.layer([logger]))
      )
      assert.deepStrictEqual(
        errors.map(({ operation, part }) => `${part}.${operation}`),
        ["directory.values"]
      )
      assert.include(String(errors[0]?.cause), consumer.userId)
      const [log = ""] = lines.filter((line) => line.includes("directory failed"))
      const { serviceId, userId } = consumer
      assertMasked(log, `no row of ${userId}, known as ${serviceId}`, userId, serviceId)
    }).pipe(Effect.provide(Sandbox.layerWith(directoryOf("fails").layer)))
  })
})
