import { describe, expect, it } from "vitest"
import type { Claim, DedupeStore } from "../src/DedupeStore.js"
import { type MemoryStoreOptions, memoryStore } from "../src/memoryStore.js"

const claimed = async (store: DedupeStore, id: string): Promise<Extract<Claim, { state: "claimed" }>> => {
  const claim = await store.claim(id)
  return claim.state === "claimed" ? claim : expect.fail(`${id} is ${claim.state}`)
}
const state = async (store: DedupeStore, id: string) => (await store.claim(id)).state

const setUp = (options: MemoryStoreOptions = {}) => {
  let time = 0
  const store = memoryStore({ now: () => time, ...options })
  return {
    store,
    pass: (seconds: number) => {
      time += seconds * 1000
    }
  }
}

describe("the store in memory", () => {
  it("gives an event to one, and to others only after it was released", async () => {
    const { store } = setUp()
    const claim = await claimed(store, "a")
    expect(await state(store, "a")).toBe("running")
    expect(await state(store, "b")).toBe("claimed")
    await claim.release()
    expect(await state(store, "a")).toBe("claimed")
  })

  it("remembers a completed event for ten days", async () => {
    const { store, pass } = setUp()
    await (await claimed(store, "a")).complete()
    pass(10 * 24 * 3600 - 1)
    expect(await state(store, "a")).toBe("completed")
    pass(1)
    expect(await state(store, "a")).toBe("claimed")
  })

  it("lets another take an event over from a claim that was never settled, and only after its time", async () => {
    const { store, pass } = setUp({ claimSeconds: 60 })
    const lost = await claimed(store, "a")
    pass(59.999)
    expect(await state(store, "a")).toBe("running")
    pass(0.001)
    const second = await claimed(store, "a")
    await lost.release()
    expect(await state(store, "a")).toBe("running")
    await second.complete()
    await lost.release()
    expect(await state(store, "a")).toBe("completed")
  })

  it("forgets the oldest completed events beyond its bound, never one that is being worked on", async () => {
    const { store } = setUp({ maxEvents: 3 })
    const running = await claimed(store, "running")
    for (const id of ["a", "b", "c", "d"]) await (await claimed(store, id)).complete()
    expect(await state(store, "running")).toBe("running")
    for (const id of ["b", "c", "d"]) expect(await state(store, id)).toBe("completed")
    expect(await state(store, "a")).toBe("claimed")
    await running.complete()
    expect(await state(store, "running")).toBe("completed")
  })

  it("counts an event that is completed again as the newest", async () => {
    const { store, pass } = setUp({ maxEvents: 2, claimSeconds: 60 })
    const first = await claimed(store, "a")
    pass(60)
    const second = await claimed(store, "a")
    await first.complete()
    await (await claimed(store, "b")).complete()
    await second.complete()
    await (await claimed(store, "c")).complete()
    for (const id of ["a", "c"]) expect(await state(store, id)).toBe("completed")
    expect(await state(store, "b")).toBe("claimed")
  })

  it("asks for patience rather than hold more claims than its bound", async () => {
    const { store } = setUp({ maxEvents: 2 })
    const first = await claimed(store, "a")
    await claimed(store, "b")
    expect(await state(store, "c")).toBe("running")
    await first.complete()
    expect(await state(store, "c")).toBe("claimed")
  })
})
