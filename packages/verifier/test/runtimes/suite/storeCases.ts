import type { Case } from "./Case.js"
import { equal } from "./equal.js"

export const storeCases: ReadonlyArray<Case> = [
  {
    name: "the store in memory gives an event to one, until it is released or its claim ends",
    run: async ({ memoryStore }) => {
      let time = 0
      const store = memoryStore({ now: () => time, claimSeconds: 60 })
      const state = async (id: string) => (await store.claim(id)).state
      const claim = await store.claim("a")
      equal([claim.state, await state("a"), await state("b")], ["claimed", "running", "claimed"])
      if (claim.state === "claimed") await claim.release()
      equal([await state("a"), await state("a")], ["claimed", "running"])
      time = 60_000
      equal(await state("a"), "claimed")
    }
  },
  {
    name: "the store in memory remembers a completed event for ten days, and forgets the oldest beyond its bound",
    run: async ({ memoryStore }) => {
      let time = 0
      const store = memoryStore({ now: () => time, maxEvents: 2 })
      const state = async (id: string) => (await store.claim(id)).state
      for (const id of ["a", "b", "c"]) {
        const claim = await store.claim(id)
        if (claim.state === "claimed") await claim.complete()
      }
      equal([await state("b"), await state("c"), await state("a")], ["completed", "completed", "claimed"])
      time = 10 * 24 * 3600 * 1000
      equal(await state("c"), "claimed")
    }
  }
]
