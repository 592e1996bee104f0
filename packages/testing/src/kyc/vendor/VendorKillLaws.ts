import { assert, it } from "@effect/vitest"
import { canLookUp } from "@surety/core/kyc/provider/KycCapabilities"
import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import { Effect, Exit, Fiber, Layer, type Scope } from "effect"
import { ended, type PlayedVendor, pause, type Shop, shop, start, submit, until, world } from "./VendorScene.js"

/**
 * Kills a process while the vendor handles its submission, and starts another process. With `isDone`, the vendor does
 * the work before it hangs. Returns the provider's capabilities, the final verification and the number of charges.
 */
const killedWhile = Effect.fnUntraced(function* ({ adapter, make, verified }: PlayedVendor, isDone: boolean) {
  const vendor = make()
  const provider = adapter(yield* vendor.listen)
  const first = yield* start(provider)
  yield* vendor.script({ reply: "hang", isDone })
  yield* Effect.forkChild(Effect.exit(submit(first, yield* shop, "key", verified)))
  yield* until(Effect.sync(() => vendor.submissions() > 0))
  yield* first.kill
  yield* start(provider)
  const [verification] = yield* ended
  const { capabilities } = yield* Effect.provide(KycProvider, provider)
  return { capabilities, verification, charged: yield* vendor.charged }
})

const verifications = 12

/**
 * Repeats each merchant's request under its key until it succeeds. Meanwhile, the process is killed and restarted, and
 * some submissions get no response. Waits for every verification to end. Returns the verifications and the number of
 * charges.
 */
const underKills = Effect.fnUntraced(function* ({ adapter, make, verified }: PlayedVendor) {
  const vendor = make()
  const provider = adapter(yield* vendor.listen)
  const current = { process: yield* start(provider) }
  const shops = yield* Effect.forEach(Array.from({ length: verifications }), () => shop)
  for (let index = 0; index < verifications; index += 1) {
    if (index % 3 === 0) yield* vendor.script({ reply: "cut", isDone: index % 2 === 0 })
    if (index % 4 === 1) yield* vendor.script({ reply: "hang", isDone: index % 8 === 1 })
  }

  const persist = (each: Shop, index: number): Effect.Effect<void> =>
    Effect.exit(submit(current.process, each, `key-${index}`, verified)).pipe(
      Effect.flatMap((exit) =>
        Exit.isSuccess(exit)
          ? Effect.void
          : Effect.andThen(
              pause,
              Effect.suspend(() => persist(each, index))
            )
      )
    )

  const work = yield* Effect.forkChild(Effect.forEach(shops, persist, { concurrency: 4, discard: true }))
  for (let kill = 0; kill < 4; kill += 1) {
    const before = vendor.received.length
    yield* Effect.race(until(Effect.sync(() => vendor.received.length > before + 1)), Effect.sleep("1 second"))
    yield* current.process.kill
    current.process = yield* start(provider)
  }
  yield* Fiber.join(work)
  return { all: yield* ended, charged: yield* vendor.charged }
})

const timeoutMillis = 60_000

/**
 * Registers tests that kill an adapter's process and compare its verifications with the vendor's charges. They use real
 * HTTP and in-memory stores.
 */
export const suite = (adapter: string, vendor: PlayedVendor): void => {
  const live = (name: string, body: Effect.Effect<void, unknown, Layer.Success<typeof world> | Scope.Scope>) =>
    it.live(`${adapter}: ${name}`, () => Effect.provide(Effect.scoped(body), Layer.fresh(world)), timeoutMillis)

  live(
    "a kill after the vendor's work is found by a lookup, or ends without another charge",
    Effect.gen(function* () {
      const { capabilities, charged, verification } = yield* killedWhile(vendor, true)
      assert.strictEqual(charged, 1)
      assert.strictEqual(verification?.status, canLookUp(capabilities, undefined) ? "VERIFIED" : "ERROR")
    })
  )

  live(
    "a kill before the vendor's work verifies no one and charges nothing",
    Effect.gen(function* () {
      const { charged, verification } = yield* killedWhile(vendor, false)
      assert.strictEqual(charged, 0)
      assert.strictEqual(verification?.status, "ERROR")
    })
  )

  live(
    "under kills and lost answers, never more than one charge a verification, and none VERIFIED without one",
    Effect.gen(function* () {
      const { all, charged } = yield* underKills(vendor)
      assert.lengthOf(all, verifications)
      assert.isAtMost(charged, verifications)
      assert.isAtMost(all.filter(({ status }) => status === "VERIFIED").length, charged)
    })
  )
}
