import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { request } from "node:http"
import path from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { newSecret, samplePayloads, sign } from "@surety/verifier/testing"
import { afterEach, beforeAll, describe, expect, it } from "vitest"

const directory = path.resolve(import.meta.dirname, "..")
const main = path.join(directory, "src/main.ts")

beforeAll(async () => {
  const build = path.resolve(directory, "../../scripts/build.ts")
  await promisify(execFile)(process.execPath, [build, "--if-stale", "--js", "verifier"])
})

const started: Array<ChildProcess> = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill()
})

const start = (settings: Readonly<Record<string, string>>) => {
  const { WEBHOOK_SECRET: _, ...env } = process.env
  const child = spawn(process.execPath, [main], { env: { ...env, PORT: "0", ...settings }, stdio: "pipe" })
  started.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let complaints = ""
  child.stderr.on("data", (text) => {
    complaints += text
  })
  return { child, nextLine: async () => (await lines.next()).value as string | undefined, complaints: () => complaints }
}

const startReceiver = async (secret: string) => {
  const receiver = start({ WEBHOOK_SECRET: secret })
  const ready = (await receiver.nextLine()) ?? expect.fail(receiver.complaints())
  expect(ready).toMatch(/^webhook receiver listening on http:\/\/127\.0\.0\.1:\d+\/webhooks$/u)
  const url = ready.slice(ready.indexOf("http"))
  const post = async ({
    body,
    headers
  }: {
    readonly body: string
    readonly headers: Readonly<Record<string, string>>
  }) => (await fetch(url, { method: "POST", body, headers })).status
  return { ...receiver, url, post }
}

describe("the receiver", () => {
  it("prints each genuine event once and answers 200, also to a repetition", async () => {
    const secrets = newSecret()
    const { post, nextLine } = await startReceiver(secrets)
    const refund = await sign({ secrets, topic: "refund.completed", payload: samplePayloads["refund.completed"] })
    expect(await post(refund)).toBe(200)
    expect(await nextLine()).toBe("refund.completed 2500.5 NGN refund_01jd4c5p8tf3vs6y2k7m9q4hzn")
    expect(await post(refund)).toBe(200)
    const denied = "merchant.identity.request.denied"
    expect(await post(await sign({ secrets, topic: denied, payload: samplePayloads[denied] }))).toBe(200)
    expect(await nextLine()).toBe(
      `${denied} SR1-K7QM-WX4T-A display_name,email,kyc_status datareq_01jd4c7a9mf4wk8t2v5z3q6hyn`
    )
    expect(await post(await sign({ secrets, id: "event_1", topic: "refund.reversed", payload: "{}" }))).toBe(200)
    expect(await nextLine()).toBe("refund.reversed event_1")
  })

  it("refuses a forged delivery with 400, prints no event and says why on standard error", async () => {
    const secrets = newSecret()
    const { post, nextLine, complaints } = await startReceiver(secrets)
    const refund = await sign({ secrets, topic: "refund.completed", payload: samplePayloads["refund.completed"] })
    expect(await post({ ...refund, body: refund.body.replace("2500.5", "9500.5") })).toBe(400)
    expect(await post(await sign({ secrets: newSecret(), topic: "refund.completed", payload: refund.body }))).toBe(400)
    expect(await post(refund)).toBe(200)
    expect(await nextLine()).toBe("refund.completed 2500.5 NGN refund_01jd4c5p8tf3vs6y2k7m9q4hzn")
    expect(complaints().match(/refused: signature_mismatch/gu)).toHaveLength(2)
  })

  it("believes both secrets of a rotation", async () => {
    const [newer, older] = [newSecret(), newSecret()]
    const { post } = await startReceiver(`${newer}, ${older}`)
    for (const secrets of [newer, older]) {
      const payload = samplePayloads["transaction.settled"]
      expect(await post(await sign({ secrets, topic: "transaction.settled", payload }))).toBe(200)
    }
  })

  it("answers 405 to what is no delivery and 413 to a body without end", async () => {
    const { url } = await startReceiver(newSecret())
    expect((await fetch(url)).status).toBe(405)
    const endless = request(url, { method: "POST" })
    endless.write(Buffer.alloc(2_000_000))
    const [answer] = await once(endless, "response")
    expect(answer.statusCode).toBe(413)
    endless.destroy()
  })

  it("ends with exit code 0 when asked", async () => {
    const { child } = await startReceiver(newSecret())
    child.kill("SIGTERM")
    expect(await once(child, "exit")).toEqual([0, null])
  })

  it.each([
    ["no secret", {}, "WEBHOOK_SECRET is not set"],
    ["a secret of another form", { WEBHOOK_SECRET: "sk_test_abc" }, "not have the form whsec_"]
  ])("with %s it explains how to get one and ends with exit code 1", async (_, settings, why) => {
    const { child, complaints } = start(settings)
    expect(await once(child, "close")).toEqual([1, null])
    expect(complaints()).toContain(why)
    expect(complaints()).toContain("curl -X POST http://127.0.0.1:3000/merchants/")
  })
})
