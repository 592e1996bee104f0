import { assert, describe, it } from "@effect/vitest"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import { Consumers } from "@surety/core/consumer/Consumers"
import { specified } from "@surety/core/consumer/IdentityField"
import { Effect, Layer, Redacted } from "effect"
import * as Sandbox from "../../Sandbox.js"
import * as Sample from "../ConsentSamples.js"
import * as ConsentSandbox from "../ConsentSandbox.js"

const sandbox = Layer.provideMerge(ConsumerDirectory.layer, Sandbox.layer)

const reveal = (values: ConsumerDirectory.IdentityValues) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.value(value)]))

describe("The directory of the standalone server", () => {
  it.effect("knows the specified fields of its consumers, and answers those that are asked for", () =>
    Effect.gen(function* () {
      const directory = yield* ConsumerDirectory.ConsumerDirectory
      const { consumer } = yield* ConsentSandbox.merchantAndPerson("TEST")
      const person = { environment: consumer.environment, userId: consumer.userId, serviceId: consumer.serviceId }
      const values = yield* directory.values(person, specified)
      assert.notInclude(String(JSON.stringify(values)), "Ada", "they are redacted")
      assert.deepStrictEqual(reveal(values), {
        service_id: consumer.serviceId,
        display_name: "Ada Obi",
        country: "NG",
        email: "ada@example.com",
        phone_verified: true,
        kyc_status: "UNVERIFIED"
      })
      const [email] = Sample.fields("email")
      assert.deepStrictEqual(reveal(yield* directory.values(person, email ? [email] : [])), {
        email: "ada@example.com"
      })
    }).pipe(Effect.provide(sandbox))
  )

  it.effect("omits fields without a value, and knows no person of the other environment", () =>
    Effect.gen(function* () {
      const directory = yield* ConsumerDirectory.ConsumerDirectory
      const consumers = yield* Consumers
      const bare = yield* consumers.create({ environment: "TEST", phoneVerified: false }, undefined)
      const person = { environment: bare.environment, userId: bare.userId, serviceId: bare.serviceId }
      assert.deepStrictEqual(
        reveal(yield* directory.values(person, Sample.fields("email", "phone_verified", "shoe"))),
        {
          phone_verified: false
        }
      )
      assert.deepStrictEqual(yield* directory.values({ ...person, environment: "LIVE" }, specified), {})
    }).pipe(Effect.provide(sandbox))
  )
})
