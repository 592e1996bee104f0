import { type HostRateLimiter, type LogLine, type Surety, unwrap } from "@surety/embed"
import { assert, describe, it } from "vitest"
import { makeSale, makeSurety } from "./Shop.js"

const whoami = async (surety: Surety) => {
  const { scope } = await makeSale(surety, "1")
  const { secret } = unwrap(await surety.apiKeys.create(scope))
  const ask = () =>
    surety.handler(new Request("http://localhost/v1/whoami", { headers: { authorization: `Bearer ${secret}` } }))
  return { ask, scope }
}

describe("Rate limits", () => {
  it("are those of the options", async () => {
    const { ask } = await whoami(await makeSurety({ rateLimits: { other: { perSecond: 0.01, burst: 2 } } }))
    const answers = [await ask(), await ask(), await ask()]
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [200, 200, 429]
    )
    assert.strictEqual(answers[0]?.headers.get("ratelimit-policy"), `"other";q=2;w=200`)
  })

  it("can be switched off", async () => {
    const { ask } = await whoami(await makeSurety({ rateLimits: { other: "off" } }))
    assert.isNull((await ask()).headers.get("ratelimit-policy"))
  })

  it("that are none are named among the faults of the options", async () => {
    const wrong = { rateLimits: { refunds: { perSecond: 0, burst: 1 } } }
    const failure = await makeSurety(wrong).catch((error: unknown) => error)
    assert.match(String(failure), /rateLimits\.refunds\.perSecond: must be a number above 0/)
  })
})

describe("The host's own rate limiter", () => {
  it("decides who passes, by merchant and environment", async () => {
    const keys: Array<string> = []
    const rateLimiter: HostRateLimiter = {
      take: async (limit, key) => {
        keys.push(`${limit.name} ${key}`)
        return { isAllowed: keys.length < 2, remaining: 0, resetMillis: 7_000 }
      }
    }
    const { ask, scope } = await whoami(await makeSurety({ rateLimiter }))
    assert.strictEqual((await ask()).status, 200)
    const refused = await ask()
    assert.deepInclude(await refused.json(), { status: 429, code: "rate_limited" })
    assert.strictEqual(refused.headers.get("retry-after"), "7")
    assert.deepStrictEqual(new Set(keys), new Set([`other ${scope.merchantId} TEST`]))
  })

  it("that is down lets merchants' requests pass, and the log says so", async () => {
    const lines: Array<LogLine> = []
    const rateLimiter = { take: () => Promise.reject(new Error("down")) }
    const { ask } = await whoami(await makeSurety({ rateLimiter, logger: (line) => lines.push(line) }))
    assert.strictEqual((await ask()).status, 200)
    const line = lines.find(({ level }) => level === "error")
    assert.strictEqual(line?.message, "The host's rateLimiter failed; the request passes")
    assert.match(line?.cause ?? "", /^Error: down\n +at /)
  })

  it("that is down still limits guesses at an operator's token", async () => {
    const operatorToken = "operator-token-of-the-shop"
    const rateLimiter = { take: () => Promise.reject(new Error("down")) }
    const rateLimits = { provisioning: { perSecond: 0.01, burst: 3 } }
    const surety = await makeSurety({ rateLimiter, rateLimits, operatorToken })
    const read = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await surety.handler(new Request("http://localhost/operator/ledger/trial-balance", { headers }))).status
    }
    assert.strictEqual(await read(operatorToken), 200)
    assert.deepStrictEqual([await read("a"), await read("b"), await read("c")], [401, 401, 401])
    assert.strictEqual(await read(operatorToken), 429)
  })
})
