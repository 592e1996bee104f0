import { KeyScope } from "@surety/core/merchant/KeyScope"
import { isScopeHeld, routeScope } from "@surety/http/access/KeyScopes"
import { expect, it } from "vitest"
import { operations } from "../Contract.js"

const routes = operations.filter(({ path }) => path.startsWith("/v1/"))

it("every route has a scope, or is open to every key", () => {
  const unlisted = routes.filter(({ method, path }) => routeScope(method, path) === "unlisted")
  expect(unlisted.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})

it("a key with scopes may call no route that has none", () => {
  expect(routeScope("GET", "/v1/something-new")).toBe("unlisted")
  expect(routeScope("DELETE", "/v1/requests")).toBe("unlisted")
  expect(isScopeHeld(KeyScope.literals, "unlisted")).toBe(false)
  expect(isScopeHeld(undefined, "unlisted")).toBe(true)
})
