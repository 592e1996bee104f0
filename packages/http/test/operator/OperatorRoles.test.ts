import { createHash } from "node:crypto"
import { OperatorRole } from "@surety/core/operator/Operator"
import { Api } from "@surety/http/Api"
import { OperatorAccess, ProvisioningAccess } from "@surety/http/access/OperatorAccess"
import { mayCall, operatorRoles } from "@surety/http/access/OperatorRoles"
import { HttpApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { application, asOperator, makeInterface } from "../Interface.js"

interface Route {
  readonly id: string
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
}

const guards: ReadonlyArray<string> = [OperatorAccess.key, ProvisioningAccess.key]

const routes = (): ReadonlyArray<Route> => {
  const found: Array<Route> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware }) => {
      if (![...middleware].some(({ key }) => guards.includes(key))) return
      const { identifier: name, method, path } = endpoint
      found.push({ id: `${group.identifier}.${name}`, group: group.identifier, name, method, path })
    }
  })
  return found
}

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex")

const tokenOf = (role: OperatorRole): string => `token-of-the-${role}-for-tests`

const operators = OperatorRole.literals.map((role) => ({ name: `${role}-ada`, role, tokenHash: hashOf(tokenOf(role)) }))

const api = makeInterface({ provisioning: "token", operators })

const filled = (path: string): string => path.replace(/:[A-Za-z]+/g, "nothing")

describe("roles of operators", () => {
  it("are decided for every route of operators, and for no other", () => {
    expect(Object.keys(operatorRoles).sort()).toEqual(
      routes()
        .map(({ id }) => id)
        .sort()
    )
  })

  it("let viewers change nothing", () => {
    const changing = routes().filter(({ group, method, name }) => method !== "GET" && mayCall("viewer", group, name))
    expect(changing).toEqual([])
  })

  describe.each([...OperatorRole.literals])("%s", (role) => {
    it.each(routes().map((route) => [route.id, route] as const))("%s", async (_, { group, method, name, path }) => {
      const answer = await api.send(method, filled(path), {
        key: tokenOf(role),
        ...(method === "POST" || method === "PATCH" ? { body: {} } : {})
      })
      if (mayCall(role, group, name)) expect(answer.body?.code).not.toBe("operator_forbidden")
      else expect(answer.body).toMatchObject({ status: 403, code: "operator_forbidden" })
    })
  })
})

describe("a route of several commands", () => {
  const api = makeInterface({ provisioning: "token", operators })
  const admin = { key: tokenOf("admin") }
  const support = { key: tokenOf("support") }

  it("lets support suspend a merchant, and only an admin let it in, again or at all, or close it", async () => {
    const { body: merchant } = await api.send("POST", "/merchants", { ...admin, body: application })
    const give = (who: { readonly key: string }, status: string) =>
      api.send("POST", `/operator/merchants/${merchant.id}/status`, { ...who, body: { status, reason: "an incident" } })
    for (const status of ["ACTIVE", "REJECTED", "CLOSED"]) {
      expect((await give(support, status)).body, status).toMatchObject({ status: 403, code: "operator_forbidden" })
    }
    expect((await give(admin, "ACTIVE")).status).toBe(201)
    expect((await give({ key: tokenOf("money") }, "SUSPENDED")).body.code).toBe("operator_forbidden")
    expect((await give(support, "SUSPENDED")).body.status).toBe("SUSPENDED")
    expect((await give(support, "ACTIVE")).body.code).toBe("operator_forbidden")
  })

  it("lets support disable and enable an endpoint, and only an admin send it elsewhere", async () => {
    const { body: merchant } = await api.send("POST", "/merchants", { ...admin, body: application })
    const endpoint = { url: "https://shop.example/hooks", environment: "TEST" }
    const { body } = await api.send("POST", `/merchants/${merchant.id}/webhooks`, { ...admin, body: endpoint })
    const change = (who: { readonly key: string }, changes: object) =>
      api.send("PATCH", `/merchants/${merchant.id}/webhooks/${body.id}`, { ...who, body: changes })
    expect((await change(support, { status: "DISABLED" })).body.status).toBe("DISABLED")
    expect((await change(support, { status: "ENABLED", recover: true })).body.status).toBe("ENABLED")
    for (const changes of [{ url: "https://evil.example/" }, { status: "DISABLED", url: "https://evil.example/" }]) {
      expect((await change(support, changes)).body).toMatchObject({ status: 403, code: "operator_forbidden" })
    }
    expect((await change(admin, { url: "https://shop.example/other" })).status).toBe(200)
  })
})

describe("a named token", () => {
  it("is refused before the body is read, so that nothing of it takes effect", async () => {
    const refused = await api.send("POST", "/merchants", { key: tokenOf("support"), body: application })
    expect(refused.body.code).toBe("operator_forbidden")
    expect(refused.body.detail).toBe("The role support may not do this. It requires the role admin.")
    const listed = await api.send("GET", "/operator/merchants", { key: tokenOf("viewer") })
    expect(listed.body.data).toEqual([])
  })

  it("names the actor of a status change, of its action and of consents", async () => {
    const { body: merchant } = await api.send("POST", "/merchants", { key: tokenOf("admin"), body: application })
    const status = { status: "ACTIVE", reason: "papers checked" }
    await api.send("POST", `/operator/merchants/${merchant.id}/status`, { key: tokenOf("admin"), body: status })
    const actions = await api.send("GET", `/operator/actions?merchantId=${merchant.id}`, asOperator)
    expect(actions.body.data).toEqual([
      expect.objectContaining({
        actor: "admin-ada",
        kind: "merchant.status_changed",
        target: merchant.id,
        reason: "papers checked",
        changes: [{ field: "status", from: "PENDING_REVIEW", to: "ACTIVE" }]
      }),
      expect.objectContaining({ actor: "admin-ada", kind: "merchant.created", target: merchant.id, changes: [] })
    ])
  })

  it("is kept with the rotation of a key, which names both keys", async () => {
    const { body: merchant } = await api.send("POST", "/merchants", { key: tokenOf("admin"), body: application })
    const keys = `/merchants/${merchant.id}/api-keys`
    const made = await api.send("POST", keys, { key: tokenOf("admin"), body: { environment: "TEST" } })
    const next = await api.send("POST", `${keys}/${made.body.id}/rotate`, { key: tokenOf("admin"), body: {} })
    const actions = await api.send("GET", `/operator/actions?merchantId=${merchant.id}`, asOperator)
    expect(actions.body.data.map(({ kind }: { kind: string }) => kind)).toEqual([
      ...["api_key.rotated", "api_key.created", "merchant.created"]
    ])
    expect(actions.body.data[0]).toMatchObject({
      ...{ actor: "admin-ada", kind: "api_key.rotated", target: made.body.id, environment: "TEST" },
      changes: [{ field: "replacedBy", to: next.body.id }]
    })
  })

  it("is its own, not its hash, and is no other's", async () => {
    for (const key of [...operators.map(({ tokenHash }) => tokenHash), tokenOf("admin").slice(1), "admin-ada"]) {
      expect((await api.send("GET", "/operator/merchants", { key })).body.code).toBe("invalid_operator_token")
    }
  })

  it("opens the routes of a deployment that has no other token", async () => {
    const named = makeInterface({ operatorToken: undefined, operators })
    expect((await named.send("GET", "/operator/merchants", { key: tokenOf("viewer") })).status).toBe(200)
    expect((await named.send("GET", "/operator/merchants", asOperator)).body.code).toBe("invalid_operator_token")
  })
})
