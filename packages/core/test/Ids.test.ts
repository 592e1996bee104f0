import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as Ids from "@surety/core/Ids"
import { Arbitrary, Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as FixedRandom from "./FixedRandom.js"

/**
 * Suffixes and their UUIDs. The last pair is an example from TypeID's README. The others are the specification's test
 * vectors: https://github.com/jetify-com/typeid/blob/main/spec/valid.yml
 */
const valid = [
  ["00000000000000000000000000", "00000000-0000-0000-0000-000000000000"],
  ["00000000000000000000000001", "00000000-0000-0000-0000-000000000001"],
  ["0000000000000000000000000a", "00000000-0000-0000-0000-00000000000a"],
  ["0000000000000000000000000g", "00000000-0000-0000-0000-000000000010"],
  ["00000000000000000000000010", "00000000-0000-0000-0000-000000000020"],
  ["7zzzzzzzzzzzzzzzzzzzzzzzzz", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
  ["0123456789abcdefghjkmnpqrs", "0110c853-1d09-52d8-d73e-1194e95b5f19"],
  ["01h455vb4pex5vsknk084sn02q", "01890a5d-ac96-774b-bcce-b302099a8057"],
  ["01h2xcejqtf2nbrexx3vqjhp41", "0188bac7-4afa-78aa-bc3b-bd1eef28d881"]
] as const

const prefixes = {
  merchant: Ids.MerchantId,
  apikey: Ids.ApiKeyId,
  endpoint: Ids.EndpointId,
  refund: Ids.RefundId,
  transfer: Ids.TransferId,
  event: Ids.EventId,
  delivery: Ids.DeliveryId
}

const isRefundId = Schema.is(Ids.RefundId)

describe("a TypeID", () => {
  it.each(valid)("with the suffix %s holds the UUID %s", (suffix, uuid) => {
    assert.strictEqual(Ids.toUuid(`refund_${suffix}`), uuid)
    assert.strictEqual(Ids.fromUuid("refund", uuid), `refund_${suffix}`)
    const id: Ids.RefundId = Ids.RefundId.fromUuid(uuid)
    assert.strictEqual(id, `refund_${suffix}`)
    assert.strictEqual(Ids.RefundId.toUuid(id), uuid)
    assert.isTrue(isRefundId(`refund_${suffix}`))
  })

  it.each([
    "",
    "refund",
    "refund_",
    "01h2xcejqtf2nbrexx3vqjhp41",
    "_01h2xcejqtf2nbrexx3vqjhp41",
    "event_01h2xcejqtf2nbrexx3vqjhp41",
    "Refund_01h2xcejqtf2nbrexx3vqjhp41",
    "refund_01H2XCEJQTF2NBREXX3VQJHP41",
    "refund_8zzzzzzzzzzzzzzzzzzzzzzzzz",
    "refund_1234567890123456789012345",
    "refund_123456789012345678901234567",
    "refund_i23456789012345678901234ol",
    "refund_01h2xcejqtf2nbrexx3vqjhp4u",
    "refund_0188bac7-4afa-78aa-bc3b-bd1",
    "refund_01h2xcejqtf2nbrexx3vqjhp41\n",
    " refund_01h2xcejqtf2nbrexx3vqjhp41"
  ])("is not %j", (text) => {
    assert.isFalse(isRefundId(text))
  })

  it.prop(
    "gives back the UUID that it was made of, for every UUID and prefix",
    [
      Arbitrary.schema(Schema.String.check(Schema.isUUID())),
      Arbitrary.schema(Schema.Literals(["merchant", "apikey", "endpoint", "refund", "transfer", "event", "delivery"]))
    ],
    ([uuid, prefix]) => {
      const id = Ids.fromUuid(prefix, uuid)
      assert.isTrue(Schema.is(prefixes[prefix])(id), id)
      assert.strictEqual(Ids.toUuid(id), uuid.toLowerCase())
    }
  )
})

describe("an opaque id", () => {
  it("has 1 to 128 characters of the host's choice", () => {
    const isPaymentId = Schema.is(Ids.PaymentId)
    assert.isTrue(isPaymentId("x") && isPaymentId("x".repeat(128)) && isPaymentId("ord/2026 #7 ñ"))
    assert.isFalse(isPaymentId("") || isPaymentId("x".repeat(129)))
  })
})

describe("a new id", () => {
  it.effect("is fixed by the clock and the random source", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 20))
      const id = yield* Effect.provide(Ids.RefundId.next, FixedRandom.layer(0, 17))
      assert.strictEqual(id, yield* Effect.provide(Ids.RefundId.next, FixedRandom.layer(0, 17)))
      const uuid = Ids.toUuid(id)
      assert.strictEqual(Number.parseInt(uuid.replace("-", "").slice(0, 12), 16), Date.UTC(2026, 10, 20))
      assert.match(uuid, /^.{8}-.{4}-7.{3}-[89ab].{3}-.{12}$/u, "a UUIDv7 (RFC 9562)")
      assert.strictEqual(
        uuid.slice(14),
        "7001-a233-445566778899",
        "version and variant, and the random bytes between them"
      )
    })
  )

  it.effect("has its kind's prefix", () =>
    Effect.gen(function* () {
      const made = yield* Effect.all([
        Ids.MerchantId.next,
        Ids.ApiKeyId.next,
        Ids.EndpointId.next,
        Ids.RefundId.next,
        Ids.TransferId.next,
        Ids.EventId.next,
        Ids.DeliveryId.next,
        Ids.PaymentId.next,
        Ids.UserId.next
      ])
      assert.deepStrictEqual(
        made.map((id) => id.slice(0, id.indexOf("_"))),
        [...Object.keys(prefixes), "payment", "user"]
      )
      for (const schema of Object.values(prefixes)) assert.isTrue(made.some((id) => Schema.is(schema)(id)))
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )

  it.effect("comes after every id of an earlier millisecond, as text and as UUID", () =>
    Effect.gen(function* () {
      const ids: Array<Ids.EventId> = []
      for (const elapsed of [0, 1, 1, 254, 65_536, 86_400_000, 31_536_000_000]) {
        yield* TestClock.adjust(elapsed + 1)
        ids.push(yield* Ids.EventId.next)
      }
      assertEquals([...ids].sort(), ids)
      assertEquals(ids.map(Ids.toUuid).sort(), ids.map(Ids.toUuid))
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )

  it.effect("comes after 10,000 others of the same millisecond, as text and as UUID", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.replicateEffect(Ids.EventId.next, 10_000)
      assert.strictEqual(new Set(ids).size, 10_000)
      assertEquals([...ids].sort(), ids)
      assertEquals(ids.map(Ids.toUuid).sort(), ids.map(Ids.toUuid))
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )

  it.effect("comes after those of other kinds and of other fibers", () =>
    Effect.gen(function* () {
      const made: Array<string> = []
      const make = Effect.gen(function* () {
        for (const next of [Ids.EventId.next, Ids.PaymentId.next, Ids.RefundId.next]) {
          made.push(Ids.toUuid(yield* next))
          yield* Effect.yieldNow
        }
      })
      yield* Effect.all(
        Array.from({ length: 50 }, () => make),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(new Set(made), 150)
      assertEquals([...made].sort(), made)
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )

  it.effect("does not follow from the one before", () =>
    Effect.gen(function* () {
      const last32Bits = (yield* Effect.replicateEffect(Ids.EventId.next, 1_000)).map((id) => Ids.toUuid(id).slice(-8))
      assert.isAbove(new Set(last32Bits).size, 990)
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )

  it.effect("differs from those of another process of the same millisecond", () =>
    Effect.gen(function* () {
      const process = Effect.provide(Effect.replicateEffect(Ids.EventId.next, 1_000), SecureRandom.layerWebCrypto)
      const ids = [...(yield* process), ...(yield* process)]
      assert.lengthOf(new Set(ids), 2_000)
    })
  )

  it.effect("does not depend on what other sources of randomness made on this clock", () =>
    Effect.gen(function* () {
      const three = Effect.provide(Effect.replicateEffect(Ids.EventId.next, 3), FixedRandom.layer(0, 17))
      const before = yield* three
      yield* Effect.provide(Effect.replicateEffect(Ids.EventId.next, 10), SecureRandom.layerWebCrypto)
      assertEquals(yield* three, before)
    })
  )

  it.effect("is of the next millisecond when this one is full", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 20))
      const [full, next] = [yield* Ids.EventId.next, yield* Ids.EventId.next]
      assert.match(Ids.toUuid(full), /-7fff-bfff-ffffffffffff$/u)
      assert.strictEqual(Ids.madeAtMillis(full), Date.UTC(2026, 10, 20))
      assert.strictEqual(Ids.madeAtMillis(next), Date.UTC(2026, 10, 20) + 1)
      yield* TestClock.adjust(1)
      assert.isAbove(Ids.madeAtMillis(yield* Ids.EventId.next), Ids.madeAtMillis(next))
    }).pipe(Effect.provide(FixedRandom.layer(0xff, 0)))
  )

  it.effect("comes after the others when the clock is set back by up to a second, and follows it further back", () =>
    Effect.gen(function* () {
      const noon = Date.UTC(2026, 10, 20, 12)
      const ids: Array<Ids.EventId> = []
      for (const time of [noon, noon - 1, noon - 1_000, noon, noon + 1]) {
        yield* TestClock.setTime(time)
        ids.push(yield* Ids.EventId.next)
      }
      assertEquals([...ids].sort(), ids)
      assert.deepStrictEqual(ids.map(Ids.madeAtMillis), [noon, noon, noon, noon, noon + 1])
      yield* TestClock.setTime(noon - 1_000)
      assert.strictEqual(Ids.madeAtMillis(yield* Ids.EventId.next), noon - 1_000)
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )
})
