import { assert, describe, it } from "@effect/vitest"
import { type HostError, HostErrors } from "@surety/core/host/HostErrors"
import { HostRefunds } from "@surety/core/refund/HostRefunds"
import { WalletUnavailable } from "@surety/core/refund/Wallet"
import { Cause, Effect, Exit, Logger, References } from "effect"
import { assertMasked } from "../host/assertMasked.js"
import { credited, deferred, refund, sceneOf, userId } from "./PendingScene.js"
import { payment } from "./RefundSnapshots.js"

/** Runs `finish` for a scene's pending refund. Returns what it reports to the host and what it logs. */
const reported = (scene: ReturnType<typeof sceneOf>) => {
  const errors: Array<HostError> = []
  const lines: Array<string> = []
  const logger = Logger.make(({ cause, fiber, message }) => {
    const about = fiber.getRef(References.CurrentLogAnnotations)
    lines.push([String(message), JSON.stringify(about), Cause.pretty(cause)].join(" "))
  })
  return Effect.gen(function* () {
    const exit = yield* Effect.exit((yield* HostRefunds).finish(refund.id))
    return { exit, errors, log: lines.join("\n") }
  }).pipe(
    scene.run,
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(HostErrors, (error) => errors.push(error))
  )
}

const said = `no account of ${userId}`
const quoting = new WalletUnavailable({ cause: new Error(said) })

describe("a wallet that fails", () => {
  it.effect(
    "is reported to the host as its credit, and logged with the refund, without the person whom it quotes",
    () =>
      Effect.gen(function* () {
        const { errors, log } = yield* reported(sceneOf(() => Effect.fail(quoting)))
        assert.deepStrictEqual(
          errors.map(({ operation, part }) => [part, operation]),
          [["wallet", "credit"]]
        )
        assert.include(log, "The host's wallet failed; the refund stays pending")
        assert.include(log, refund.id)
        assertMasked(log, said, userId)
      })
  )

  it.effect("is reported to the host as its lookup, and nothing is credited", () =>
    Effect.gen(function* () {
      const scene = sceneOf(() => Effect.succeed(credited), { fence: 2 }, { lookup: () => Effect.fail(quoting) })
      const { errors, log } = yield* reported(scene)
      assert.deepStrictEqual(
        errors.map(({ operation, part }) => [part, operation]),
        [["wallet", "lookup"]]
      )
      assertMasked(log, said, userId)
      assert.lengthOf(scene.asked, 0)
    })
  )

  it.effect("is none if it defers: the refund stays pending and is free at once, and the host gets no report", () =>
    Effect.gen(function* () {
      for (const [fence, scene] of [
        [1, sceneOf(() => Effect.fail(deferred))],
        [2, sceneOf(() => Effect.succeed(credited), { fence: 2 }, { lookup: () => Effect.fail(deferred) })]
      ] as const) {
        const { errors, exit, log } = yield* reported(scene)
        const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : assert.fail("it is not finished")
        assert.deepInclude(error, { _tag: "WalletDeferred" })
        assert.deepStrictEqual([errors, log], [[], ""])
        assert.deepStrictEqual([scene.released, scene.completed, scene.failed], [[fence], [], []])
      }
    })
  )

  it.effect("masks nothing else when it looks up a refund without a customer", () =>
    Effect.gen(function* () {
      const { userId: _, ...orphan } = refund
      const quoted = new WalletUnavailable({ cause: new Error("cannot read properties of undefined") })
      const scene = sceneOf(
        () => Effect.succeed(credited),
        { refund: orphan, fence: 2 },
        { lookup: () => Effect.fail(quoted) }
      )
      assert.include((yield* reported(scene)).log, "cannot read properties of undefined")
    })
  )

  it.effect("of a refund without a customer is none: the refund is named, and nothing else is masked", () =>
    Effect.gen(function* () {
      const { userId: _, ...orphan } = refund
      const { exit } = yield* reported(sceneOf(() => Effect.succeed(credited), { refund: orphan }))
      const cause = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : assert.fail("it is a defect")
      assert.include(cause, `refund ${refund.id} has no customer`)
    })
  )
})

describe("the credit that a wallet is asked for", () => {
  it.effect("has the refund, its merchant, payment, customer and amount; the consumer ID if there is one", () =>
    Effect.gen(function* () {
      const { serviceId } = payment
      assert.isDefined(serviceId)
      const { amount, environment, id: refundId, merchantId, paymentId } = refund
      const expected = { refundId, scope: { environment, merchantId }, paymentId, userId, amount }
      for (const [sent, more] of [
        [refund, {}],
        [{ ...refund, serviceId }, { serviceId }]
      ] as const) {
        const { serviceId: _, ...bare } = sent
        const scene = sceneOf(() => Effect.succeed(credited), {
          refund: "serviceId" in more ? { ...bare, ...more } : bare
        })
        yield* reported(scene)
        assert.deepEqual(scene.asked, [{ ...expected, ...more }])
      }
    })
  )
})
