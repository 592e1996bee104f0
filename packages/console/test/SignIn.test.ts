import { assert, describe, it } from "@effect/vitest"
import { OperatorSessions } from "@surety/core/operator/session/OperatorSessions"
import { Duration, Effect, Redacted } from "effect"
import * as Scene from "./support/Scene.js"
import { formsIn, visitor } from "./support/Visitor.js"

describe("Sign-in with a token", () => {
  it.live("opens a session with a cookie for this very host, and leads to the page that was asked for", () =>
    Effect.gen(function* () {
      const { handler } = yield* Scene.make()
      const browser = visitor(handler)
      const asked = yield* Effect.promise(() => browser.get("/console/live/refunds?status=PENDING"))
      assert.strictEqual(asked.status, 303)
      const to = asked.headers.get("location") ?? ""
      assert.strictEqual(to, "/service/console/sign-in?next=%2Fconsole%2Flive%2Frefunds%3Fstatus%3DPENDING")
      const page = yield* Effect.promise(() => browser.get(to))
      const [form] = formsIn(to, page.text)
      const before = [...browser.jar.keys()]
      const signedIn = yield* Effect.promise(() =>
        browser.post(form?.action ?? "", { ...form?.fields, name: "ngozi.eze", token: Scene.tokenOf("ngozi.eze") })
      )
      assert.deepStrictEqual(
        [signedIn.status, signedIn.headers.get("location")],
        [303, "/service/console/live/refunds?status=PENDING"]
      )
      assert.deepStrictEqual(before, ["__Host-console_visit"])
      const [cookie = ""] = signedIn.headers.getSetCookie()
      assert.match(cookie, /^__Host-console_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/u)
      const list = yield* Effect.promise(() => browser.get("/console/live/refunds"))
      assert.strictEqual(list.status, 200)
      assert.include(list.text, "Ngozi".toLowerCase())
    }).pipe(Effect.scoped)
  )

  it.live("says after how long without a request the session ends, as the settings do", () =>
    Effect.gen(function* () {
      const limits = { idle: Duration.minutes(90), absolute: Duration.hours(12) }
      const { handler } = yield* Scene.make(undefined, undefined, undefined, undefined, limits)
      const page = yield* Effect.promise(() => visitor(handler).get("/service/console/sign-in"))
      assert.include(page.text, "A session ends after 90 minutes without a request.")
    }).pipe(Effect.scoped)
  )

  it.live("ignores the letter case of a name, and names the operator as the settings do", () =>
    Effect.gen(function* () {
      const { handler, run } = yield* Scene.make()
      const tried = yield* Effect.forEach(["Ngozi.Eze", "NGOZI.EZE"], (name) =>
        Effect.promise(() => visitor(handler).signIn(name, Scene.tokenOf("ngozi.eze")))
      )
      const foreign = yield* Effect.promise(() => visitor(handler).signIn("Viewer", Scene.tokenOf("ngozi.eze")))
      assert.deepStrictEqual(
        [...tried, foreign].map(({ status }) => status),
        [303, 303, 401]
      )
      const sessions = yield* run(
        Effect.flatMap(OperatorSessions, ({ list }) => list(undefined, { limit: 10, cursor: undefined }))
      )
      assert.deepStrictEqual(
        sessions.data.map(({ operator }) => operator),
        ["ngozi.eze", "ngozi.eze"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("refuses a wrong token, a token of another operator, and after five of them waits", () =>
    Effect.gen(function* () {
      const { handler } = yield* Scene.make()
      const browser = visitor(handler)
      const tried = yield* Effect.forEach(
        ["wrong-token-0123456789", "", Scene.tokenOf("admin"), "x".repeat(600), "again-wrong", Scene.tokenOf("viewer")],
        (token) => Effect.promise(() => browser.signIn("viewer", token))
      )
      assert.deepStrictEqual(
        tried.map(({ status }) => status),
        [401, 401, 401, 401, 401, 429]
      )
      const { headers, text } = tried.at(-1) ?? assert.fail("there are six")
      const seconds = headers.get("retry-after")
      assert.isAtMost(Number(seconds), 12)
      assert.include(text, `Too many wrong tokens from this address. Try again in ${seconds} s.`)
      assert.include(text, "After five wrong ones, this address waits before each further try.")
      assert.isFalse([...browser.jar.keys()].some((name) => name.includes("session")))
      assert.isFalse(tried.some(({ text }) => text.includes("wrong-token")))
    }).pipe(Effect.scoped)
  )
})

describe("Many wrong tokens at once", () => {
  it.live("are no more than five before the address waits", () =>
    Effect.gen(function* () {
      const { handler } = yield* Scene.make()
      const browsers = yield* Effect.forEach(Array.from({ length: 12 }), () =>
        Effect.promise(async () => {
          const browser = visitor(handler)
          const [form] = formsIn("/console/sign-in", (await browser.get("/console/sign-in")).text)
          return { browser, fields: { ...form?.fields, name: "viewer" } }
        })
      )
      const tried = yield* Effect.promise(() =>
        Promise.all(
          browsers.map(({ browser, fields }, index) =>
            browser.post("/console/sign-in", { ...fields, token: `wrong-token-${index}-0123456789` })
          )
        )
      )
      const counts = tried.map(({ status }) => status)
      assert.strictEqual(counts.filter((status) => status === 401).length, 5)
      assert.strictEqual(counts.filter((status) => status === 429).length, 7)
    }).pipe(Effect.scoped)
  )
})

describe("A session by a way that the settings do not have", () => {
  it.live.each(["OIDC", "HOST"] as const)("opens nothing: %s", (signedInBy) =>
    Effect.gen(function* () {
      const { handler, run } = yield* Scene.make()
      const { token } = yield* run(
        Effect.flatMap(OperatorSessions, ({ open }) => open({ operator: "ada", roles: ["admin"], signedInBy }))
      )
      const browser = visitor(handler)
      browser.jar.set("__Host-console_session", Redacted.value(token))
      const shown = yield* Effect.promise(() => browser.get("/console/live/overview"))
      assert.strictEqual(shown.status, 303)
      assert.match(shown.headers.get("location") ?? "", /sign-in/u)
    }).pipe(Effect.scoped)
  )

  it.live("opens nothing: a token, once only others sign in", () =>
    Effect.gen(function* () {
      const { handler, run } = yield* Scene.make({ byToken: false, byHost: () => Effect.succeed(undefined) })
      const opened = yield* run(
        Effect.flatMap(OperatorSessions, ({ signIn }) => signIn(Redacted.make(Scene.tokenOf("ada")), {}))
      )
      const browser = visitor(handler)
      browser.jar.set("__Host-console_session", opened._tag === "Some" ? Redacted.value(opened.value.token) : "")
      assert.strictEqual((yield* Effect.promise(() => browser.get("/console/live/overview"))).status, 303)
    }).pipe(Effect.scoped)
  )
})
