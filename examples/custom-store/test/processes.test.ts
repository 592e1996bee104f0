import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { createSurety, type Surety, unwrap } from "@surety/embed"
import { afterAll, beforeAll, expect, it } from "vitest"
import { sqliteStore } from "../src/sqliteStore.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const directory = mkdtempSync(path.join(tmpdir(), "custom-store-"))
const secretsKey = Buffer.alloc(32, 7).toString("base64")
const environment = "TEST"

beforeAll(
  () => promisify(execFile)(process.execPath, [path.join(root, "scripts/build.ts"), "--if-stale", "--js", "embed"]),
  120_000
)
afterAll(() => rmSync(directory, { recursive: true }))

/** Surety on a file of its own, with an order of that many naira. */
const makeSale = async (name: string, amount: number) => {
  const file = path.join(directory, `${name}.sqlite`)
  const surety = await createSurety({ store: sqliteStore(file), secretsKey })
  const profile = { name: "Ada Books", legalName: "Ada Books Ltd", contactName: "Ada", contactEmail: "a@books.example" }
  const merchant = unwrap(await surety.merchants.create({ ...profile, country: "NG", businessType: "retail" }))
  const scope = { merchantId: merchant.id, environment } as const
  const person = { environment, userId: "user-7", linkedTo: merchant.id } as const
  const { serviceId } = unwrap(await surety.consumers.create(person))
  unwrap(await surety.payments.record({ ...scope, transactionId: "order-1", serviceId, amount }))
  return { file, scope, surety }
}

/** A process that begins to refund when its input ends. */
const startRefunder = async (file: string, merchantId: string, keys: ReadonlyArray<string>) => {
  const script = path.join(import.meta.dirname, "refunder.ts")
  const env = { ...process.env, SECRETS_KEY: secretsKey }
  const refunder = spawn(process.execPath, [script, file, merchantId, keys.join(",")], { env })
  refunder.stderr.pipe(process.stderr)
  const lines = createInterface({ input: refunder.stdout })[Symbol.asyncIterator]()
  expect(await lines.next()).toEqual({ done: false, value: "ready" })
  return { refunder, lines, begin: () => void refunder.stdin.end() }
}

const allOf = async (lines: AsyncIterableIterator<string>) => {
  const all: Array<string> = []
  for await (const line of lines) all.push(line)
  return all
}

const refundIds = async (surety: Surety, scope: { readonly merchantId: string; readonly environment: "TEST" }) => {
  const ids: Array<string> = []
  let cursor: string | undefined
  do {
    const page = unwrap(
      await surety.refunds.list({ ...scope, limit: 100, ...(cursor === undefined ? {} : { cursor }) })
    )
    ids.push(...page.data.map(({ refundId }) => refundId))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return ids
}

it("two processes on one file never refund more than was paid, nor make two refunds of a key", async () => {
  const { file, scope, surety } = await makeSale("race", 30)
  const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`)
  const orders = [keys, keys.toReversed()]
  const refunders = await Promise.all(orders.map((order) => startRefunder(file, scope.merchantId, order)))
  for (const { begin } of refunders) begin()
  const [one = [], other = []] = await Promise.all(refunders.map(({ lines }) => allOf(lines)))
  expect(one).toHaveLength(40)
  expect(other).toHaveLength(40)
  const answered = [...one, ...other].filter((line) => line.startsWith("refund_"))
  const made = await refundIds(surety, scope)
  expect(made).toHaveLength(30)
  expect(new Set(answered)).toEqual(new Set(made))
  expect([...one, ...other].filter((line) => !line.startsWith("refund_"))).toEqual(Array(20).fill("RefundRefused"))
  expect(unwrap(await surety.ledger.audit())).toEqual([])
  await surety.close()
}, 60_000)

it("a process that is killed amid its refunds leaves each that it answered, and no half of any", async () => {
  const { file, scope, surety } = await makeSale("crash", 10_000)
  const keys = Array.from({ length: 9_000 }, (_, index) => `key-${index}`)
  const { begin, lines, refunder } = await startRefunder(file, scope.merchantId, keys)
  begin()
  const answered: Array<string> = []
  for await (const line of lines) {
    answered.push(line)
    if (answered.length === 20) refunder.kill("SIGKILL")
  }
  await (refunder.signalCode ?? once(refunder, "exit"))
  expect(refunder.signalCode).toBe("SIGKILL")
  const made = new Set(await refundIds(surety, scope))
  expect(answered.length).toBeGreaterThanOrEqual(20)
  expect(answered.filter((id) => !made.has(id))).toEqual([])
  expect(unwrap(await surety.ledger.audit())).toEqual([])
  await surety.close()
}, 60_000)
