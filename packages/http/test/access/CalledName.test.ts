import { describe, expect, it } from "vitest"
import { application, asOperator, makeInterface } from "../Interface.js"

const open = makeInterface({ provisioning: "open", ownNames: ["pay.example", "surety-host"] })

const created = (host: string | undefined, sending: { readonly key?: string } = {}) =>
  open.send("POST", "/merchants", { ...sending, body: application, headers: host === undefined ? {} : { host } })

describe("open provisioning", () => {
  it.each([
    "127.0.0.1:3000",
    "192.168.1.7",
    "[::1]:3000",
    "localhost:3000",
    "LOCALHOST",
    "localhost.",
    "pay.example",
    "Pay.Example:443",
    "surety-host:3000"
  ])("answers callers of %s", async (host) => {
    expect((await created(host)).status).toBe(201)
  })

  it.each([
    "attacker.example",
    "attacker.example:3000",
    "127.0.0.1.attacker.example",
    "localhost.attacker.example",
    "evil-pay.example",
    "pay.example.attacker.example",
    "127.0.0.1@attacker.example",
    "2130706433.attacker.example",
    ""
  ])("refuses a page that has its own name lead here: %s", async (host) => {
    const answer = await created(host)
    expect(answer.body).toMatchObject({ status: 403, code: "host_not_allowed" })
  })

  it("tells such a page of no route either", async () => {
    const answer = await open.send("PUT", "/merchants", { headers: { host: "attacker.example" } })
    expect(answer.body.code).toBe("host_not_allowed")
  })

  it("answers requests without a name, and the operator by any name", async () => {
    expect((await created(undefined)).status).toBe(201)
    expect((await created("surety.internal", asOperator)).status).toBe(201)
  })

  it("asks for no name if the host of the library says none", async () => {
    const embedded = makeInterface({ provisioning: "open" })
    const answer = await embedded.send("POST", "/merchants", { body: application, headers: { host: "shop.example" } })
    expect(answer.status).toBe(201)
  })
})

it("provisioning by token asks for the token, under any name", async () => {
  const guarded = makeInterface({ provisioning: "token", ownNames: ["pay.example"] })
  const headers = { host: "attacker.example" }
  expect((await guarded.send("POST", "/merchants", { body: application, headers })).body.code).toBe(
    "missing_operator_token"
  )
})
