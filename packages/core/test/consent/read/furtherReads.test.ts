import { assert, describe, it } from "@effect/vitest"
import { ConsentRequired } from "@surety/core/consent/ConsentError"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import * as IdentityReads from "@surety/core/consent/read/IdentityReads"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { ConsumerDirectory, type IdentityValues } from "@surety/core/consumer/ConsumerDirectory"
import { MerchantId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Effect, Layer, Logger, Redacted } from "effect"
import * as Sandbox from "../../Sandbox.js"
import * as ConsentSandbox from "../ConsentSandbox.js"

const gone = new StoreError({ operation: "read", reason: new StoreUnavailable({ cause: "gone" }) })

/**
 * Builds `IdentityReads` over a store. Before each call of the store's `read`, calls `instead` with the number of the
 * next commit. Commits are counted from 1, and `Prepare` decisions do not count. If `instead` returns an effect, that
 * effect replaces the call.
 */
const readsOver = (instead: (commit: number) => ReturnType<ConsentStore["Service"]["read"]> | undefined) => {
  let commits = 0
  const store = Layer.effect(
    ConsentStore,
    Effect.map(ConsentStore, (whole): ConsentStore["Service"] => ({
      ...whole,
      read: (lookup, decide) =>
        Effect.suspend(() => {
          const replaced = instead(commits + 1)
          if (replaced !== undefined) return replaced
          return Effect.map(whole.read(lookup, decide), (decision) => {
            if (decision._tag !== "Prepare") commits += 1
            return decision
          })
        })
    }))
  )
  return Layer.fresh(IdentityReads.layer).pipe(Layer.provide(store))
}

const values: IdentityValues = { email: Redacted.make("ada@mail.example"), country: Redacted.make("NG") }

const directory = Layer.succeed(ConsumerDirectory, {
  values: (_, fields) =>
    Effect.succeed(Object.fromEntries(fields.map((field) => [field, values[field] ?? Redacted.make(null)])))
})

/** Creates a merchant, and a person who has given it a one-time consent for each list of fields. */
const askedOnce = Effect.fnUntraced(function* (...asked: ReadonlyArray<ReadonlyArray<string>>) {
  const requests = yield* DataRequests
  const { consumer, scope } = yield* ConsentSandbox.merchantAndPerson("TEST")
  const { serviceId } = consumer
  for (const [index, fields] of asked.entries()) {
    const { request } = yield* requests.create(scope, IdempotencyKey.make(`once-${index}`), {
      serviceId,
      requestedFields: ConsentSandbox.fields(...fields),
      purpose: undefined,
      duration: "ONE_TIME"
    })
    yield* requests.approve({ id: request.id, scope }, { actor: { kind: "PERSON" } })
  }
  return { scope, serviceId }
})

const within = (reads: Layer.Layer<IdentityReads.IdentityReads, never, Layer.Services<typeof IdentityReads.layer>>) =>
  Effect.provide(Layer.provideMerge(Layer.fresh(reads), Layer.merge(Sandbox.layerWith(directory), directory)))

const normally = readsOver(() => undefined)

describe("A read of several one-time consents", () => {
  it.effect("hands out what all of them allow, uses each up, and says what none allows", () =>
    Effect.gen(function* () {
      const { serviceId, scope } = yield* askedOnce(["email"], ["country"], ["display_name"])
      const reads = yield* IdentityReads.IdentityReads
      const fields = ConsentSandbox.fields("email", "country", "kyc_status")
      const identity = yield* reads.read(scope, { serviceId, fields })
      assert.deepStrictEqual(ConsentSandbox.reveal(identity), {
        serviceId,
        fields: { email: "ada@mail.example", country: "NG" },
        notApproved: { kyc_status: "never_requested" }
      })
      const { data } = yield* reads.list(scope, ConsentSandbox.anyone, ConsentSandbox.page)
      assert.deepStrictEqual(data.map(({ fields: read }) => read.join()).toSorted(), ["country", "email"])
      const again = yield* reads.read(scope, { serviceId })
      assert.deepStrictEqual(Object.keys(again.fields).toSorted(), ["display_name", "service_id"])
      assert.strictEqual((yield* Effect.flip(reads.read(scope, { serviceId })))._tag, "ConsentRequired")
    }).pipe(within(normally))
  )

  it.effect("hands out the service id, also if nothing else is asked for", () =>
    Effect.gen(function* () {
      const { serviceId, scope } = yield* askedOnce(["email"])
      const reads = yield* IdentityReads.IdentityReads
      const identity = yield* reads.read(scope, { serviceId, fields: ConsentSandbox.fields("service_id") })
      assert.deepStrictEqual(ConsentSandbox.reveal(identity), {
        serviceId,
        fields: { service_id: serviceId },
        notApproved: {}
      })
    }).pipe(within(normally))
  )

  it.effect("goes on until no further one has a field", () =>
    Effect.gen(function* () {
      const asked: ReadonlyArray<ReadonlyArray<string>> = [["email"], ["country"], ["display_name"], ["kyc_status"]]
      const { serviceId, scope } = yield* askedOnce(...asked)
      const reads = yield* IdentityReads.IdentityReads
      const identity = yield* reads.read(scope, { serviceId, fields: ConsentSandbox.fields(...asked.flat()) })
      assert.deepStrictEqual(ConsentSandbox.reveal(identity), {
        serviceId,
        fields: { email: "ada@mail.example", country: "NG", display_name: null, kyc_status: null },
        notApproved: {}
      })
      assert.lengthOf((yield* reads.list(scope, ConsentSandbox.anyone, ConsentSandbox.page)).data, 4)
    }).pipe(within(normally))
  )

  it.effect("says that a further one has expired, if another read was first", () =>
    Effect.gen(function* () {
      const { serviceId, scope } = yield* askedOnce(["email"], ["country"])
      const identity = yield* (yield* IdentityReads.IdentityReads).read(scope, { serviceId })
      assert.deepStrictEqual(ConsentSandbox.reveal(identity).fields, {
        service_id: serviceId,
        email: "ada@mail.example"
      })
      assert.deepInclude(identity.notApproved, { country: "expired", display_name: "never_requested" })
    }).pipe(
      within(
        readsOver((commit) =>
          commit === 2 ? Effect.succeed({ _tag: "Refuse", reason: new ConsentRequired() }) : undefined
        )
      )
    )
  )

  it.effect("still hands out what the first allowed if a further one cannot be stored, and warns", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
    return Effect.gen(function* () {
      const { serviceId, scope } = yield* askedOnce(["email"], ["country"])
      const fields = ConsentSandbox.fields("email", "country")
      const identity = yield* (yield* IdentityReads.IdentityReads).read(scope, { serviceId, fields })
      assert.deepStrictEqual(ConsentSandbox.reveal(identity), {
        serviceId,
        fields: { email: "ada@mail.example" },
        notApproved: {}
      })
      assert.isTrue(lines.some((line) => line.startsWith("Warn ") && line.includes("One-time consent")))
    }).pipe(
      within(readsOver((commit) => (commit === 2 ? Effect.fail(gone) : undefined))),
      Effect.provide(Logger.layer([logger]))
    )
  })

  it.effect("fails if the first one cannot be stored", () =>
    Effect.gen(function* () {
      const { serviceId, scope } = yield* askedOnce(["email"], ["country"])
      const error = yield* Effect.flip((yield* IdentityReads.IdentityReads).read(scope, { serviceId }))
      assert.strictEqual(error._tag, "StoreError")
    }).pipe(within(readsOver(() => Effect.fail(gone))))
  )

  it.effect("is none for a merchant that is missing", () =>
    Effect.gen(function* () {
      const { serviceId, scope } = yield* askedOnce(["email"])
      const missing = { ...scope, merchantId: MerchantId.fromUuid("01900000-0000-7000-8000-000000000001") }
      const error = yield* Effect.flip((yield* IdentityReads.IdentityReads).read(missing, { serviceId }))
      assert.strictEqual(error._tag, "ConsentRequired")
    }).pipe(within(normally))
  )
})
