import { expect, it } from "vitest"
import { listOf, type Page } from "../src/List.js"

it("a list that leads round in a circle ends with an error, not never", async () => {
  const part = { data: [1], nextCursor: "same" }
  const walk = async () => {
    for await (const _ of listOf(Promise.resolve(part), async () => part));
  }
  await expect(walk()).rejects.toThrow(/circular/u)
})

it.each([2, 3, 7])("a circle of %i pages ends with an error too", async (length) => {
  const part = (page: number) => ({ data: [page], nextCursor: String((page + 1) % length) })
  let reads = 0
  const walk = async () => {
    for await (const _ of listOf(Promise.resolve(part(0)), async (cursor) => {
      reads += 1
      return reads > 100 ? { data: [] } : part(Number(cursor))
    }));
  }
  await expect(walk()).rejects.toThrow(/circular/u)
})

it("a list to poll ends if its cursor stays the same, and may be polled from there", async () => {
  const part = (cursor: string) => (cursor === "2" ? { data: [], nextCursor: "2" } : { data: [2], nextCursor: "2" })
  const list = listOf(Promise.resolve({ data: [1], nextCursor: "1" }), async (cursor) => part(cursor))
  expect(await list.take(10)).toEqual([1, 2])
  const pages: Array<Page<number>> = []
  for await (const page of list.pages()) pages.push(page)
  expect(pages.map(({ nextCursor }) => nextCursor)).toEqual(["1", "2", "2"])
  expect(pages.at(-1)).not.toHaveProperty("next")
})

it("a long list that goes round nowhere is walked through to its end", async () => {
  const part = (page: number) => (page < 300 ? { data: [page], nextCursor: String(page + 1) } : { data: [page] })
  const list = listOf(Promise.resolve(part(0)), async (cursor) => part(Number(cursor)))
  expect(await list.take(1_000)).toHaveLength(301)
})

it("a list that is left reads no further page", async () => {
  let reads = 0
  const list = listOf(Promise.resolve({ data: [1, 2], nextCursor: "1" }), async () => {
    reads += 1
    return { data: [3] }
  })
  for await (const record of list) if (record === 2) break
  expect(reads).toBe(0)
  expect(await list.take(5)).toEqual([1, 2, 3])
  expect(await list.take(0)).toEqual([])
})

it("a failure waits for a later walk through the list", async () => {
  const unhandled: Array<unknown> = []
  const listen = (reason: unknown) => void unhandled.push(reason)
  process.on("unhandledRejection", listen)
  const list = listOf(Promise.reject(new Error("the first page")), () => Promise.reject(new Error("never read")))
  await new Promise((resolve) => setImmediate(resolve))
  await expect(list.take(1)).rejects.toThrow("the first page")
  await expect(list).rejects.toThrow("the first page")
  process.off("unhandledRejection", listen)
  expect(unhandled).toEqual([])
})

it("what a page fails with is what the walk fails with", async () => {
  const list = listOf(Promise.resolve({ data: [1], nextCursor: "1" }), () =>
    Promise.reject(new Error("the second page"))
  )
  const walked: Array<number> = []
  const walk = async () => {
    for await (const record of list) walked.push(record)
  }
  await expect(walk()).rejects.toThrow("the second page")
  expect(walked).toEqual([1])
})
