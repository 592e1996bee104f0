import { expect, it } from "vitest"
import { listOf } from "../src/List.js"

it("a list that leads round in a circle ends with an error, not never", async () => {
  const part = { data: [1], nextCursor: "same" }
  const walk = async () => {
    for await (const _ of listOf(Promise.resolve(part), async () => part));
  }
  await expect(walk()).rejects.toThrow(/circle/u)
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

it("a failure waits for whoever walks through the list later", async () => {
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
