import { NotReady, Readiness } from "@surety/core/Readiness"
import { type HostStore, memoryStore, StoreNotOpened, unwrap } from "@surety/embed"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { makeSale, makeSurety } from "./Shop.js"

/** Creates a memory store whose readiness check fails from `go` until `comeBack`. */
const makeFailingStore = () => {
  let isGone = false
  const check = Effect.suspend(() => (isGone ? Effect.fail(new NotReady({ detail: "it is gone." })) : Effect.void))
  const store: HostStore = { layer: Layer.merge(memoryStore().layer, Layer.succeed(Readiness, { check })) }
  return {
    store,
    go: () => {
      isGone = true
    },
    comeBack: () => {
      isGone = false
    }
  }
}

const refused = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

describe("A host asks how Surety is", () => {
  it("and learns that it is ready, until the database fails", async () => {
    const { comeBack, go, store } = makeFailingStore()
    const surety = await makeSurety({ store })
    await surety.ready()
    assert.deepStrictEqual(await surety.health(), {
      ready: true,
      workers: "stopped",
      webhooks: { due: 0, oldestDueSeconds: 0, disabledEndpoints: 0 },
      requests: { pending: 0, oldestPendingSeconds: 0 }
    })
    go()
    const error = await refused(surety.ready())
    assert.instanceOf(error, StoreNotOpened)
    assert.strictEqual(error.message, "Surety cannot use its database: it is gone.")
    assert.deepStrictEqual(await surety.health(), {
      ready: false,
      detail: "Surety cannot use its database: it is gone.",
      workers: "stopped"
    })
    assert.match(await surety.metrics(), /^surety_ready 0$/m)
    comeBack()
    await surety.ready()
    assert.match(await surety.metrics(), /^surety_ready 1$/m)
  })

  it("and learns that it is ready, however long up to four seconds a database with a busy pool takes to say so", async () => {
    let pause = Effect.void
    const check = Effect.suspend(() => pause)
    const store: HostStore = { layer: Layer.merge(memoryStore().layer, Layer.succeed(Readiness, { check })) }
    const surety = await makeSurety({ store })
    pause = Effect.sleep("4.2 seconds")
    const [health, metrics] = await Promise.all([surety.health(), surety.metrics()])
    assert.isTrue(health.ready)
    assert.match(metrics, /^surety_ready 1$/m)
  })

  it("and learns of webhooks that wait, and whether workers run", async () => {
    const surety = await makeSurety()
    const { scope } = await makeSale(surety, "health")
    unwrap(await surety.webhooks.register({ ...scope, url: "http://127.0.0.1:9/nobody" }))
    const merchants = await surety.payments.record({ ...scope, transactionId: "order-health-2", amount: 5 })
    assert.strictEqual(merchants.ok, true)
    assert.strictEqual((await surety.health()).webhooks?.due, 1)
    assert.match(await surety.metrics(), /^surety_webhook_backlog\{lane="steady"\} 1$/m)
    await surety.workers.start()
    assert.strictEqual((await surety.health()).workers, "running")
    await surety.workers.drain()
    assert.strictEqual((await surety.health()).webhooks?.due, 0)
    await surety.workers.stop()
    assert.strictEqual((await surety.health()).workers, "stopped")
  })

  it("and gets a rejection once it has closed Surety", async () => {
    const surety = await makeSurety()
    await surety.close()
    for (const call of [surety.ready, surety.health, surety.metrics, surety.workers.runOnce]) {
      assert.match(String(await refused(call())), /Surety is closed/)
    }
  })
})

describe("Workers that run once", () => {
  it("take turns with those that run, and leave none running", async () => {
    const surety = await makeSurety()
    const rounds = [surety.workers.runOnce(), surety.workers.start(), surety.workers.runOnce(), surety.workers.stop()]
    await Promise.all(rounds)
    assert.strictEqual(surety.workers.isRunning(), false)
    await surety.workers.runOnce()
    assert.strictEqual(surety.workers.isRunning(), false)
  })
})
