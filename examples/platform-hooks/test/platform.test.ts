import { spawn } from "node:child_process"
import { createHmac, randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { afterAll, describe, expect, it } from "vitest"

const main = path.resolve(import.meta.dirname, "../src/platform.ts")
const directory = mkdtempSync(path.join(tmpdir(), "platform-hooks-"))
const file = path.join(directory, "platform.db")
const secret = `whsec_${randomBytes(32).toString("base64")}`

const started: Array<() => void> = []
afterAll(() => {
  for (const stop of started) stop()
  rmSync(directory, { recursive: true, force: true })
})

const start = async () => {
  const env = { ...process.env, PORT: "0", HOOK_SECRET: secret, PLATFORM_DB: file }
  const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] })
  started.push(() => child.kill("SIGKILL"))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => String((await lines.next()).value)
  return { child, nextLine, url: (await nextLine()).replace("platform listening on ", "") }
}

const running = start()

const sign = (
  body: string,
  { at = Date.now(), key = secret }: { readonly at?: number; readonly key?: string } = {}
) => {
  const timestamp = String(Math.floor(at / 1000))
  const bytes = Buffer.from(key.slice("whsec_".length), "base64")
  const signature = createHmac("sha256", bytes).update(`id-1.${timestamp}.${body}`).digest("base64")
  return { "webhook-id": "id-1", "webhook-timestamp": timestamp, "webhook-signature": `v1,older v1,${signature}` }
}

const post = async (route: string, body: object, headers?: Record<string, string>) => {
  const { url } = await running
  const text = JSON.stringify(body)
  const response = await fetch(`${url}${route}`, { method: "POST", body: text, headers: headers ?? sign(text) })
  return [response.status, await response.json()]
}

const creditOf = (refundId: string, externalId = "customer-1") => ({
  refundId,
  userId: "user-1",
  externalId,
  amountMinor: "100050",
  currency: "NGN"
})

const booked = (refundId: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare("select outcome, minor from credit where refund_id = ?").all(refundId)
  database.close()
  return rows.map(({ minor, outcome }) => [outcome, minor])
}

describe("the platform", () => {
  it("believes nothing that is not signed by its secret, now, over these bytes", async () => {
    const credit = creditOf("refund_forged")
    const text = JSON.stringify(credit)
    const minutes = 60_000
    const wrong: ReadonlyArray<Record<string, string>> = [
      {},
      { ...sign(text), "webhook-signature": "v1," },
      sign(text, { key: `whsec_${Buffer.alloc(32).toString("base64")}` }),
      sign(text, { at: Date.now() - 6 * minutes }),
      sign(text, { at: Date.now() + 6 * minutes }),
      { ...sign(text), "webhook-timestamp": "soon" },
      sign(text.replace("100050", "1"))
    ]
    for (const headers of wrong) expect(await post("/wallet", credit, headers)).toEqual([401, {}])
    expect(booked("refund_forged")).toEqual([])
  })

  it("credits a refund once, however often and however concurrently it is asked, and can be asked what it did", async () => {
    const credit = creditOf("refund_1")
    expect(await post("/wallet/lookup", { refundId: "refund_1" })).toEqual([200, { status: "UNKNOWN" }])
    const answers = await Promise.all(Array.from({ length: 20 }, () => post("/wallet", credit)))
    for (const answer of answers) expect(answer).toEqual([200, { status: "CREDITED" }])
    expect(await post("/wallet/lookup", { refundId: "refund_1" })).toEqual([200, { status: "CREDITED" }])
    expect(booked("refund_1")).toEqual([["CREDITED", 100_050]])
  })

  it("declines for a frozen wallet, for good", async () => {
    await running
    const database = new DatabaseSync(file)
    database.exec("insert into person values ('customer-2', 'Ada Obi', 'Lagos', 1)")
    const declined = [200, { status: "DECLINED", reason: "The wallet is frozen." }]
    expect(await post("/wallet", creditOf("refund_2", "customer-2"))).toEqual(declined)
    database.exec("update person set frozen = 0 where external_id = 'customer-2'")
    database.close()
    expect(await post("/wallet", creditOf("refund_2", "customer-2"))).toEqual(declined)
    expect(booked("refund_2")).toEqual([["DECLINED", 100_050]])
  })

  it("tells the asked fields of a person, and nothing of a stranger", async () => {
    const fields = ["city", "display_name", "frozen", "bvn"]
    const values = { city: "Lagos", display_name: "Ada Obi" }
    expect(await post("/directory", { externalId: "customer-2", fields })).toEqual([200, { fields: values }])
    expect(await post("/directory", { externalId: "customer-9", fields })).toEqual([200, { fields: {} }])
  })

  it("does nothing for a test call", async () => {
    expect(await post("/wallet", { ...creditOf("refund_3"), test: true })).toMatchObject([200, { status: "DECLINED" }])
    expect(booked("refund_3")).toEqual([])
  })

  it("knows what it credited when it starts again after a kill", async () => {
    const again = await start()
    again.child.kill("SIGKILL")
    await once(again.child, "exit")
    expect(await post("/wallet/lookup", { refundId: "refund_1" })).toEqual([200, { status: "CREDITED" }])
  })

  it("answers 404 to other paths, and passes consent links on", async () => {
    expect(await post("/other", {})).toEqual([404, {}])
    expect(await post("/consent", { userId: "user-1", consentUrl: "https://pay.example/c" })).toEqual([200, {}])
    expect(await (await running).nextLine()).toBe("tell user-1 to decide at https://pay.example/c")
  })

  it("is a screen of plain Node: no package, not a hundred lines", () => {
    const source = readFileSync(main, "utf8")
    expect(source.split("\n").length).toBeLessThanOrEqual(100)
    for (const [, name] of source.matchAll(/from "([^"]+)"/g)) expect(name).toMatch(/^node:/)
  })
})
