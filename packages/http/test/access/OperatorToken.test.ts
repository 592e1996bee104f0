import { RateLimits } from "@surety/http/access/RateLimits"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { application, asOperator, makeInterface, operatorToken } from "../Interface.js"

const nearly = [
  ...Array.from(operatorToken, (_, length) => operatorToken.slice(0, length)).slice(1),
  `${operatorToken}x`,
  `${operatorToken}${operatorToken}`,
  `x${operatorToken}`,
  operatorToken.toUpperCase()
]

describe("The operator's token", () => {
  it("opens nothing with a suffix, a prefix or a part of it, on any route that asks for it", async () => {
    const api = makeInterface({ provisioning: "token" })
    for (const key of nearly) {
      const answers = [
        await api.send("GET", "/operator/merchants", { key }),
        await api.send("POST", "/merchants", { key, body: application })
      ]
      expect(answers.map(({ body }) => body.code)).toEqual(["invalid_operator_token", "invalid_operator_token"])
    }
    expect((await api.send("GET", "/operator/merchants", asOperator)).status).toBe(200)
  })
})

describe("What others fail at never locks the operator out:", () => {
  const provisioning = { name: "provisioning", perSecond: 0.01, burst: 5 }
  const limits = { refunds: undefined, other: undefined, provisioning }
  const guarded = () => makeInterface({ provisioning: "token" }, Layer.succeed(RateLimits, limits))

  const failures = {
    "merchants' keys": { path: "/v1/whoami", sending: { key: "sk_test_wrong" } },
    "keys of another form": { path: "/v1/refunds", sending: { key: "wrong" } },
    "merchants' keys on unknown routes": { path: "/v1/nowhere", sending: { key: "sk_live_wrong" } },
    "merchants' keys on the operator's routes": { path: "/operator/merchants", sending: { key: "sk_test_wrong" } },
    "no credential": { path: "/operator/merchants", sending: {} }
  }

  for (const [what, { path, sending }] of Object.entries(failures)) {
    it(what, async () => {
      const api = guarded()
      const statuses: Array<number> = []
      for (let time = 0; time < 15; time += 1) statuses.push((await api.send("GET", path, sending)).status)
      expect(statuses.slice(-1)).toEqual([429])
      expect((await api.send("GET", "/operator/merchants", asOperator)).status).toBe(200)
      expect((await api.send("POST", "/merchants", { ...asOperator, body: application })).status).toBe(201)
    })
  }

  it("the operator's own provisioning does not close the operator's routes", async () => {
    const api = guarded()
    const statuses: Array<number> = []
    for (let time = 0; time < 6; time += 1) {
      statuses.push((await api.send("POST", "/merchants", { ...asOperator, body: application })).status)
    }
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429])
    expect((await api.send("GET", "/operator/merchants", asOperator)).status).toBe(200)
  })

  it("but guesses at the token count on all its routes together", async () => {
    const api = guarded()
    const guess = (method: string, path: string) =>
      Effect.promise(() => api.send(method, path, { key: "guess", ...(method === "POST" ? { body: {} } : {}) }))
    const routes = [guess("GET", "/operator/merchants"), guess("POST", "/merchants"), guess("GET", "/operator/nowhere")]
    const answers = await Effect.runPromise(Effect.forEach([...routes, ...routes], (it) => it))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429])
    expect((await api.send("POST", "/merchants", { ...asOperator, body: application })).status).toBe(429)
  })
})
