import { createHash } from "node:crypto"
import type { OperatorRole } from "@surety/core/operator/Operator"
import { describe, expect, it } from "vitest"
import { makeInterface, makeMerchant } from "../Interface.js"

const tokenOf = (name: string): string => `token-of-${name}-for-tests`

const credential = (name: string, role: OperatorRole) => ({
  name,
  role,
  tokenHash: createHash("sha256").update(tokenOf(name)).digest("hex")
})

const api = makeInterface({
  operators: [
    credential("ada", "money"),
    credential("obi", "money"),
    credential("sam", "support"),
    credential("ngozi", "admin"),
    credential("vic", "viewer")
  ]
})

let keys = 0

const send = (who: string, method: string, path: string, body?: object) =>
  api.send(method, `/operator${path}`, {
    key: tokenOf(who),
    ...(method === "POST" && path === "/proposals" ? { headers: { "idempotency-key": `proposal-${++keys}` } } : {}),
    ...(body === undefined ? {} : { body })
  })

const funding = (merchantId: string, changes: object = {}) => ({
  kind: "FUNDING",
  environment: "TEST",
  amount: 50_000,
  merchantId,
  reason: "From the bank",
  ...changes
})

const proposed = async () => {
  const { id } = await makeMerchant(api)
  const { body } = await send("ada", "POST", "/proposals", funding(id))
  return { merchantId: id, proposal: body, path: `/proposals/${body.id}` }
}

const again = { amount: 50_000, reason: "Seen on the statement" }

describe("a proposal over HTTP", () => {
  it("is decided by another operator, once, with the amount again", async () => {
    const { merchantId, path, proposal } = await proposed()
    expect(proposal).toMatchObject({
      kind: "FUNDING",
      amount: 50_000,
      currency: "NGN",
      status: "OPEN",
      proposedBy: "ada"
    })
    expect((await send("vic", "GET", path)).body).toEqual(proposal)
    const listed = await send("vic", "GET", "/proposals?environment=TEST&status=OPEN")
    expect(listed.body.data).toContainEqual(proposal)
    expect((await send("ada", "POST", `${path}/approve`, again)).body.code).toBe("operator_forbidden")
    const differs = await send("obi", "POST", `${path}/approve`, { ...again, amount: 50_001 })
    expect(differs.body).toMatchObject({ status: 400, code: "confirmation_differs" })
    const approved = await send("obi", "POST", `${path}/approve`, again)
    expect(approved.body).toMatchObject({ status: "APPROVED", decidedBy: "obi", transferId: expect.any(String) })
    expect((await send("ngozi", "POST", `${path}/approve`, again)).body).toMatchObject({
      status: 409,
      code: "proposal_closed"
    })
    expect((await send("obi", "POST", `${path}/refuse`, { reason: "late" })).body.code).toBe("proposal_closed")
    const { body } = await send("vic", "GET", `/actions?merchantId=${merchantId}&kind=transfer.posted`)
    expect(body.data).toHaveLength(1)
    expect(body.data[0]).toMatchObject({ actor: "obi", target: approved.body.transferId })
  })

  it("is refused with a reason, and withdrawn by its proposer", async () => {
    const { path } = await proposed()
    const refused = await send("ada", "POST", `${path}/refuse`, { reason: "Wrong week" })
    expect(refused.body).toMatchObject({ status: "REFUSED", decidedBy: "ada", refusal: "Wrong week" })
    expect((await send("obi", "POST", `${path}/approve`, again)).body.code).toBe("proposal_closed")
  })

  it("of a transfer is money's, and of an erasure support's to propose and an admin's to approve", async () => {
    const { path } = await proposed()
    for (const [verb, body] of [
      ["approve", again],
      ["refuse", { reason: "not mine" }]
    ] as const) {
      expect((await send("sam", "POST", `${path}/${verb}`, body)).body.code).toBe("operator_forbidden")
    }
    const { body: person } = await send("ngozi", "POST", "/consumers", { environment: "TEST" })
    const erasure = { kind: "ERASURE", environment: "TEST", serviceId: person.serviceId, reason: "Asked by letter" }
    expect((await send("ada", "POST", "/proposals", erasure)).body.code).toBe("operator_forbidden")
    const made = await send("sam", "POST", "/proposals", erasure)
    expect(made.body).toMatchObject({ kind: "ERASURE", serviceId: person.serviceId, status: "OPEN" })
    const confirm = { serviceId: person.serviceId, reason: "Letter seen" }
    for (const who of ["sam", "obi"]) {
      expect((await send(who, "POST", `/proposals/${made.body.id}/approve`, confirm)).body.code).toBe(
        "operator_forbidden"
      )
    }
    const approved = await send("ngozi", "POST", `/proposals/${made.body.id}/approve`, confirm)
    expect(approved.body).toMatchObject({ status: "APPROVED", decidedBy: "ngozi" })
  })

  it("names what is wrong with it", async () => {
    const { id } = await makeMerchant(api)
    for (const [body, code] of [
      [funding(id, { amount: undefined }), "required"],
      [funding(id, { kind: "WITHDRAWAL" }), "not_allowed_value"],
      [funding(id, { kind: "ERASURE" }), undefined],
      [funding(id, { direction: "DEBIT" }), "not_allowed_value"]
    ] as const) {
      const { body: answer } = await send("ngozi", "POST", "/proposals", body)
      expect(answer).toMatchObject({ status: 400, code: "validation_failed" })
      if (code !== undefined) expect(answer.errors).toContainEqual(expect.objectContaining({ code }))
    }
    expect((await send("vic", "GET", "/proposals/none")).body).toMatchObject({
      status: 404,
      code: "proposal_not_found"
    })
    const unknown = funding("merchant_01h455vb4pex5vsknk084sn02q")
    expect((await send("ada", "POST", "/proposals", unknown)).body.code).toBe("merchant_not_found")
  })
})
