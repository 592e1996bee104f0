import { consoleLogger, pinoLogger } from "@surety/embed"
import { createTestKit } from "@surety/embed/testing"
import { pino } from "pino"
import { assert, it } from "vitest"

/** A broken wallet, so that the log has a line with a cause. */
const wallet = {
  credit: async () => {
    throw new Error("the core banking system is away")
  }
}

const brokenRefund = async (logger: ReturnType<typeof consoleLogger>) => {
  const kit = await createTestKit({ wallet, logger })
  await kit.surety.refunds.create({ ...kit.scope, idempotencyKey: "a", transactionId: "order-1", amount: 1 })
  await kit.close()
  return kit
}

it("pino gets level, message, fields and cause of each line, and nothing of a person", async () => {
  const written: Array<string> = []
  const kit = await brokenRefund(pinoLogger(pino({ level: "trace" }, { write: (line) => void written.push(line) })))
  const lines = written.map((line) => JSON.parse(line))
  const failed = lines.find(({ part }) => part === "wallet")
  assert.strictEqual(failed?.level, pino.levels.values.error)
  assert.strictEqual(failed.operation, "credit")
  assert.isNotEmpty(failed.msg)
  assert.match(failed.cause, /the core banking system is away(.|\n)* at /)
  for (const secret of ["user-ada", "Ada", kit.apiKey]) assert.notInclude(written.join(""), secret)
})

it("pino's own level holds", async () => {
  const written: Array<string> = []
  await brokenRefund(pinoLogger(pino({ level: "silent" }, { write: (line) => void written.push(line) })))
  assert.isEmpty(written)
})

it("console gets each line by its level's method", async () => {
  const written: Array<readonly [string, ...ReadonlyArray<unknown>]> = []
  const to =
    (method: string) =>
    (...said: ReadonlyArray<unknown>) =>
      void written.push([method, ...said])
  const target = { debug: to("debug"), error: to("error"), info: to("info"), warn: to("warn") }
  await brokenRefund(consoleLogger(target))
  const [, , fields] = written.find(([method]) => method === "error") ?? assert.fail("no error was logged")
  assert.deepInclude(fields, { part: "wallet", operation: "credit" })
  consoleLogger(target)({ level: "fatal", message: "gone", time: new Date(), fields: {} })
  consoleLogger(target)({ level: "trace", message: "fine", time: new Date(), fields: {} })
  assert.deepStrictEqual(written.slice(-2), [
    ["error", "gone"],
    ["debug", "fine"]
  ])
})
