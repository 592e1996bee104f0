import { EventLog } from "@surety/core/event/EventLog"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { ReadsAtOnce, readsAtOnceOf } from "@surety/http/access/ReadShare"
import { Deferred, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { type Interface, makeInterface, makeMerchant } from "../Interface.js"

/**
 * Creates stores whose `list` hangs until `open` is called. `counts` has the current and maximum number of reads in
 * flight.
 */
const hanging = () => {
  const gate = Deferred.makeUnsafe<void>()
  const counts = { underWay: 0, most: 0 }
  const hang = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      counts.underWay += 1
      counts.most = Math.max(counts.most, counts.underWay)
      return Effect.ensuring(
        Effect.andThen(Deferred.await(gate), read),
        Effect.sync(() => {
          counts.underWay -= 1
        })
      )
    })
  const layer = Layer.mergeAll(
    Layer.effect(
      RefundStore,
      Effect.map(RefundStore, (store) => RefundStore.of({ ...store, list: (...args) => hang(store.list(...args)) }))
    ),
    Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) => EventLog.of({ ...log, list: (...args) => hang(log.list(...args)) }))
    )
  )
  return { counts, layer, open: () => Deferred.doneUnsafe(gate, Effect.void) }
}

const bounded = (atOnce: number | undefined) => {
  const slow = hanging()
  const api = makeInterface({}, Layer.merge(slow.layer, Layer.succeed(ReadsAtOnce, atOnce)))
  return { api, ...slow }
}

const lists = (api: Interface, key: string, count: number) =>
  Array.from({ length: count }, (_, index) => api.send("GET", index % 2 === 0 ? "/v1/refunds" : "/v1/events", { key }))

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

describe("One merchant's reads", () => {
  it("use a quarter of the node's connections at most; beyond it is 503 with Retry-After", async () => {
    const { api, counts, open } = bounded(4)
    const { key } = await makeMerchant(api)
    const asked = lists(api, key, 24)
    await sleep(1_500)
    expect(counts).toEqual({ underWay: 4, most: 4 })
    open()
    const answers = await Promise.all(asked)
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused).toHaveLength(20)
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({ code: "service_unavailable" })
      expect(headers.get("retry-after")).toBe("1")
    }
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
    expect((await Promise.all(lists(api, key, 4))).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it("leave others theirs, and do not keep the merchant from writing", async () => {
    const { api, counts, open } = bounded(2)
    const hot = await makeMerchant(api)
    const calm = await makeMerchant(api)
    const asked = lists(api, hot.key, 6)
    await sleep(50)
    const calmly = lists(api, calm.key, 1)
    await sleep(50)
    expect(counts.underWay).toBe(3)
    const made = await api.send("POST", "/v1/test-helpers/consumers", { key: hot.key, body: {} })
    expect(made.status).toBe(201)
    open()
    expect((await Promise.all([...asked, ...calmly])).every(({ status }) => status === 200)).toBe(true)
    expect(counts.underWay).toBe(0)
  })

  it("that are quick wait for their turn, and callers that disconnect give it back", async () => {
    const { api, counts, open } = bounded(1)
    const { key } = await makeMerchant(api)
    const gone = new AbortController()
    const first = api.send("GET", "/v1/refunds", { key, signal: gone.signal }).catch(() => undefined)
    await sleep(50)
    const second = api.send("GET", "/v1/refunds", { key, signal: gone.signal }).catch(() => undefined)
    const third = api.send("GET", "/v1/refunds", { key })
    await sleep(50)
    gone.abort()
    open()
    await Promise.all([first, second])
    expect((await third).status).toBe(200)
    const burst = await Promise.all(lists(api, key, 50))
    expect(burst.every(({ status }) => status === 200)).toBe(true)
    expect(counts.most).toBe(1)
  })

  it("have no bound if the deployment names no connections", async () => {
    const { api, counts, open } = bounded(undefined)
    const { key } = await makeMerchant(api)
    const asked = lists(api, key, 12)
    await sleep(100)
    expect(counts.underWay).toBe(12)
    open()
    await Promise.all(asked)
  })
})

it.each([
  [16, 4],
  [17, 4],
  [4, 1],
  [3, 1],
  [1, 1],
  [100, 25]
])("of %i connections a merchant's reads use %i", (connections, reads) => {
  expect(readsAtOnceOf(connections)).toBe(reads)
})
