import { documentPaths, healthPaths } from "@surety/http/RouteTable"
import { spellingsOf } from "@surety/testing/hostile/spellings"
import { describe, expect, it } from "vitest"
import { operations } from "./Contract.js"
import { makeInterface, operatorToken } from "./Interface.js"

const api = makeInterface({ basePath: "/pay" })

/** True if the path reaches a web-platform server unchanged: a `Request` normalises some paths. */
const survives = (spelling: string): boolean => {
  if (!spelling.startsWith("/")) return false
  const { hash, pathname, search } = new URL(`http://localhost${spelling}`)
  return hash === "" && pathname + search === spelling
}

const routes = [
  ...operations.map(({ method, path }) => ({ method, path: `/pay${path.replace(/\{\w+\}/gu, "x_1")}` })),
  ...Object.values(documentPaths).map((path) => ({ method: "GET", path: `/pay${path}` })),
  ...Object.values(healthPaths).map((path) => ({ method: "GET", path }))
]

describe("A route has one spelling", () => {
  it.each(routes)("$method $path", async ({ method, path }) => {
    const spellings = [...spellingsOf(path), ...spellingsOf(path).map((spelling) => `${spelling}?limit=1`)].filter(
      survives
    )
    expect(spellings.length).toBeGreaterThan(12)
    for (const spelling of spellings) {
      // A misspelled path is refused before authentication, so a valid credential makes no difference.
      for (const sending of [{}, { key: operatorToken }]) {
        const answer = await api.send(method, spelling, sending)
        expect([spelling, answer.status, answer.body?.code]).toEqual([spelling, 404, "route_not_found"])
      }
    }
  })

  it.each(routes)("in one case: $method $path", async ({ method, path }) => {
    const capital = path.replace(/^(\/pay)?\/\.?\w/u, (start) => start.toUpperCase().replace("/PAY", "/pay"))
    expect(capital).not.toBe(path)
    // `OPTIONS`, which no route accepts, must not reveal the methods of the correctly spelled path.
    for (const asked of [method, "OPTIONS"]) {
      const { body, headers, status } = await api.send(asked, capital)
      expect([status, body?.code, headers.get("allow")]).toEqual([404, "route_not_found", null])
    }
  })
})
