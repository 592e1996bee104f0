import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { freePort } from "@surety/testing/machine/FreePort"
import { Effect, Redacted } from "effect"
import { Provider } from "oidc-provider"
import * as Scene from "./support/Scene.js"
import { visitor } from "./support/Visitor.js"

const groupsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  musa: ["payments-team"],
  eve: ["visitors"],
  operator: ["payments-team"]
}

/** Runs a real OpenID provider until the scope closes. Its sign-in form accepts any login name. */
const provider = Effect.gen(function* () {
  const port = yield* Effect.promise(freePort)
  const issuer = `http://127.0.0.1:${port}`
  const oidc = new Provider(issuer, {
    clients: [
      {
        client_id: "console",
        client_secret: "a-secret-of-the-console",
        redirect_uris: [`${Scene.publicUrl}/console/sign-in/oidc/back`]
      }
    ],
    scopes: ["openid", "groups"],
    claims: { openid: ["sub"], groups: ["groups"] },
    conformIdTokenClaims: false,
    cookies: { keys: ["test"] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, groups: groupsOf[id] ?? [] })
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer(oidc.callback()).listen(port, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.closeAllConnections()
            server.close(() => resolve())
          })
      )
  )
  return {
    issuer,
    name: "Naira Pay’s account",
    clientId: "console",
    clientSecret: Redacted.make("a-secret-of-the-console"),
    scope: "openid groups",
    nameClaim: "sub",
    rolesClaim: "groups",
    roles: { "payments-team": "money" }
  } as const
})

/** Submits the provider's forms as `login` until it redirects back. Returns the url of that redirect. */
const signInAt = async (issuer: string, start: string, login: string): Promise<string> => {
  const jar = new Map<string, string>()
  let at = start
  let body: string | undefined
  for (let step = 0; step < 12; step += 1) {
    const response = await fetch(at, {
      redirect: "manual",
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" })
      },
      ...(body === undefined ? {} : { method: "POST", body })
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";")
      jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
    }
    const location = response.headers.get("location")
    if (location !== null) {
      at = new URL(location, at).href
      body = undefined
      if (!at.startsWith(issuer)) return at
      continue
    }
    const page = await response.text()
    const prompt = /name="prompt" value="(\w+)"/u.exec(page)?.[1] ?? ""
    at = new URL(/action="([^"]+)"/u.exec(page)?.[1] ?? "", at).href
    body = new URLSearchParams({ prompt, ...(prompt === "login" ? { login, password: "any" } : {}) }).toString()
  }
  throw new Error("The provider did not lead back.")
}

const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search

describe("Sign-in at an identity provider", () => {
  it.live("opens a session with the roles of the groups, and leads on from a page of our own", () =>
    Effect.gen(function* () {
      const oidc = yield* provider
      const { handler } = yield* Scene.make({ byToken: true, oidc })
      const browser = visitor(handler)
      const page = yield* Effect.promise(() => browser.get("/console/sign-in?next=%2Fconsole%2Flive%2Frefunds"))
      assert.include(page.text, "Continue with Naira Pay’s account")
      const href = /href="([^"]+oidc[^"]*)"/u.exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? ""
      const away = yield* Effect.promise(() => browser.get(href))
      assert.strictEqual(away.status, 303)
      const start = away.headers.get("location") ?? ""
      assert.include(start, "code_challenge_method=S256")
      const back = yield* Effect.promise(() => signInAt(oidc.issuer, start, "musa"))
      const signedIn = yield* Effect.promise(() => browser.get(pathOf(back)))
      assert.strictEqual(signedIn.status, 200)
      assert.strictEqual(signedIn.headers.get("refresh"), "0; url=/service/console/live/refunds")
      assert.include(signedIn.headers.getSetCookie().join(), "SameSite=Strict")
      const list = yield* Effect.promise(() => browser.get("/console/live/refunds"))
      assert.strictEqual(list.status, 200)
      assert.include(list.text, "musa")
      assert.include(list.text, "<small>money</small>")

      const again = yield* Effect.promise(() => visitor(handler).get(pathOf(back)))
      assert.strictEqual(again.status, 403, "another browser with this answer")
      const replayed = yield* Effect.promise(() => browser.get(pathOf(back)))
      assert.strictEqual(replayed.status, 403, "the same answer a second time")
    }).pipe(Effect.scoped)
  )

  it.live("opens none for people without a role, for the sole operator’s name, or for a changed answer", () =>
    Effect.gen(function* () {
      const oidc = yield* provider
      const { handler } = yield* Scene.make({ byToken: false, oidc })
      for (const [login, change] of [
        ["eve", (url: string) => url],
        ["operator", (url: string) => url],
        ["musa", (url: string) => url.replace(/state=[^&]+/u, "state=of-another")],
        ["musa", (url: string) => url.replace(/code=[^&]+/u, "code=of-another")],
        ["musa", (url: string) => `${url.split("?")[0]}?error=access_denied`]
      ] as const) {
        const browser = visitor(handler)
        const away = yield* Effect.promise(() => browser.get("/console/sign-in/oidc?next=https://evil.example/"))
        const back = yield* Effect.promise(() => signInAt(oidc.issuer, away.headers.get("location") ?? "", login))
        const refused = yield* Effect.promise(() => browser.get(pathOf(change(back))))
        assert.strictEqual(refused.status, 403, login)
        assert.isFalse([...browser.jar.keys()].some((name) => name.includes("session")))
      }
    }).pipe(Effect.scoped)
  )
})
