import { reading } from "@surety/core/host/HostAnswer"
import { Result, Schema } from "effect"
import { expect, it } from "vitest"

const read = reading(Schema.Record(Schema.String, Schema.Json), "an object of JSON values")

it("refuses an answer whose parts are few, and stand in it very often", () => {
  let answer: object = { leaf: 1 }
  for (let depth = 0; depth < 25; depth += 1) answer = { one: answer, other: answer }
  const before = process.threadCpuUsage()
  expect(Result.isFailure(read(answer))).toBe(true)
  const { system, user } = process.threadCpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(1_000)
})

it("refuses a list that never seems to end, and takes one of some thousands", () => {
  expect(Result.isFailure(read({ list: Array.from({ length: 1_000_000 }, () => ({})) }))).toBe(true)
  expect(Result.isSuccess(read({ list: Array.from({ length: 5_000 }, (_, index) => index) }))).toBe(true)
})
