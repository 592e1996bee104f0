import { assert, describe, it } from "@effect/vitest"
import { Grants } from "@surety/core/consent/grant/Grants"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { ConsumerDirectory, DirectoryUnavailable, type IdentityValues } from "@surety/core/consumer/ConsumerDirectory"
import { IdentityFields, withFields } from "@surety/core/consumer/IdentityField"
import { ApiKeyId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../../Sandbox.js"
import * as ConsentSandbox from "../ConsentSandbox.js"

/**
 * Builds a host's directory that records the fields of each call. By default it returns `loyalty_points`, and an
 * `email` that no call requests.
 */
const hostDirectory = (answer?: Effect.Effect<IdentityValues, DirectoryUnavailable>) => {
  const asked: Array<ReadonlyArray<string>> = []
  let points = 7
  const layer = Layer.succeed(ConsumerDirectory, {
    values: (_, fields) => {
      asked.push(fields)
      points += 1
      return answer ?? Effect.succeed({ loyalty_points: Redacted.make(points), email: Redacted.make("not disclosed") })
    }
  })
  return { asked, layer }
}

const withDirectory = (directory: Layer.Layer<ConsumerDirectory>) =>
  Effect.provide(
    Layer.provideMerge(
      Sandbox.layerWith(directory),
      Layer.succeed(IdentityFields, withFields("loyalty_points", "constructor"))
    )
  )

const granted = Effect.fnUntraced(function* (...fields: ReadonlyArray<string>) {
  const grants = yield* Grants
  const reads = yield* IdentityReads
  const sandbox = yield* ConsentSandbox.merchantAndPerson("LIVE")
  const { serviceId } = sandbox.consumer
  yield* grants.create(sandbox.scope, { serviceId, fields, origin: "HOST", actor: { kind: "HOST" } })
  return { ...sandbox, serviceId, reads }
})

describe("Reading an identity", () => {
  it.effect("gives what the host says at that moment, of its own fields too, and only what is approved", () => {
    const { asked, layer } = hostDirectory()
    return Effect.gen(function* () {
      const { reads, scope, serviceId } = yield* granted("loyalty_points", "country", "constructor")
      const read = (fields?: ReadonlyArray<string>) =>
        Effect.map(
          reads.read(scope, {
            serviceId,
            ...(fields === undefined ? {} : { fields: ConsentSandbox.fields(...fields) })
          }),
          (identity) => ConsentSandbox.reveal(identity).fields
        )
      assert.deepStrictEqual(yield* read(), {
        service_id: serviceId,
        country: null,
        loyalty_points: 8,
        constructor: null
      })
      assert.deepStrictEqual(yield* read(["loyalty_points"]), { loyalty_points: 9 })
      assert.deepStrictEqual(asked, [["country", "loyalty_points", "constructor"], ["loyalty_points"]])
    }).pipe(withDirectory(layer))
  })

  it.effect("asks the directory nothing if only the identifier may be read", () => {
    const { asked, layer } = hostDirectory()
    return Effect.gen(function* () {
      const { reads, scope, serviceId } = yield* granted("country")
      const identity = yield* reads.read(scope, {
        serviceId,
        fields: ConsentSandbox.fields("service_id", "email")
      })
      assert.deepStrictEqual(ConsentSandbox.reveal(identity), {
        serviceId,
        fields: { service_id: serviceId },
        notApproved: { email: "never_requested" }
      })
      assert.deepStrictEqual(asked, [])
    }).pipe(withDirectory(layer))
  })

  it.effect("leaves a record of who read what with which key, newest first", () =>
    Effect.gen(function* () {
      const { reads, consumer, scope, serviceId } = yield* granted("country")
      const apiKeyId = ApiKeyId.fromUuid("01900000-0000-7000-8000-000000000001")
      yield* reads.read(scope, { serviceId, fields: ConsentSandbox.fields("country", "email"), apiKeyId })
      yield* TestClock.adjust("1 second")
      yield* reads.read(scope, { serviceId, fields: ConsentSandbox.fields("email") })
      const { data } = yield* reads.list(scope, ConsentSandbox.anyone, ConsentSandbox.page)
      assert.deepStrictEqual(
        data.map(({ apiKeyId: key, fields, userId }) => [fields.join(), key, userId]),
        [
          ["", undefined, consumer.userId],
          ["country", apiKeyId, consumer.userId]
        ]
      )
      const stranger = yield* ConsentSandbox.merchantAndPerson("LIVE")
      yield* Effect.flip(reads.read(stranger.scope, { serviceId }))
      const theirs = yield* reads.list(stranger.scope, ConsentSandbox.anyone, ConsentSandbox.page)
      assert.deepStrictEqual(theirs.data, [], "what was refused was not read")
    }).pipe(withDirectory(hostDirectory().layer))
  )

  it.effect("fails as unavailable when the directory does, or does not answer in time", () => {
    const down = hostDirectory(Effect.fail(new DirectoryUnavailable({ cause: new Error("connection reset") })))
    const silent = hostDirectory(Effect.never)
    const tagOf = Effect.gen(function* () {
      const { reads, scope, serviceId } = yield* granted("country")
      const reading = yield* Effect.forkChild(Effect.flip(reads.read(scope, { serviceId })))
      yield* TestClock.adjust("10 seconds")
      return (yield* Fiber.join(reading))._tag
    })
    return Effect.gen(function* () {
      assert.strictEqual(yield* tagOf.pipe(withDirectory(down.layer)), "DirectoryUnavailable")
      assert.strictEqual(yield* tagOf.pipe(withDirectory(silent.layer)), "DirectoryUnavailable")
    })
  })

  it.effect("uses up no one-time consent while the directory does not answer", () => {
    let answers = false
    const directory = Effect.suspend(() =>
      answers
        ? Effect.succeed({ email: Redacted.make("ada@mail.example") })
        : new DirectoryUnavailable({ cause: "down" })
    )
    return Effect.gen(function* () {
      const requests = yield* DataRequests
      const reads = yield* IdentityReads
      const { consumer, scope } = yield* ConsentSandbox.merchantAndPerson("TEST")
      const { serviceId } = consumer
      const { request } = yield* requests.create(scope, IdempotencyKey.make("once"), {
        serviceId,
        requestedFields: ConsentSandbox.fields("email"),
        purpose: undefined,
        duration: "ONE_TIME"
      })
      yield* requests.approve({ id: request.id, scope }, { actor: { kind: "PERSON" } })
      const read = reads.read(scope, { serviceId })
      assert.strictEqual((yield* Effect.flip(read))._tag, "DirectoryUnavailable")
      answers = true
      assert.deepInclude(ConsentSandbox.reveal(yield* read).fields, { email: "ada@mail.example" })
      assert.strictEqual((yield* Effect.flip(read))._tag, "ConsentRequired")
    }).pipe(withDirectory(hostDirectory(directory).layer))
  })
})
