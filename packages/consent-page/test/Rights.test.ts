import { assert, layer } from "@effect/vitest"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { RightsRequests } from "@surety/core/person/RightsRequests"
import { freePort } from "@surety/testing/machine/FreePort"
import { Effect, Redacted } from "effect"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const send = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { redirect: "manual", ...init })
    const [cookie = ""] = response.headers.getSetCookie().map((one) => one.split(";")[0] ?? "")
    return { status: response.status, location: response.headers.get("location"), cookie, text: await response.text() }
  })

const guardIn = (text: string): string => /name="guard" value="([^"]+)"/u.exec(text)?.[1] ?? ""

const rightsPage = Effect.gen(function* () {
  const person = yield* PersonConsents
  const asked = yield* Scene.asked()
  yield* Scene.approveBy(asked.token, { fields: ["email"], notice: Scene.notice })
  const token = Redacted.value(yield* person.managementToken(asked.token))
  return { ...asked, url: asked.url.replace(/\/consent\/.*$/u, `/consents/${token}/rights`) }
})

const port = await freePort()

layer(PageServer.layer(port), { excludeTestServices: true })("A person's rights on their page", (it) => {
  const listed = Effect.fnUntraced(function* ({ environment, serviceId }: Consumer) {
    const requests = yield* RightsRequests
    const { data } = yield* requests.list(environment, "OPEN", Scene.page)
    return data.filter((request) => request.serviceId === serviceId)
  })

  it.effect("are asked for with one press each, once, with a note and a deadline of 30 days", () =>
    Effect.gen(function* () {
      const { consumer, url } = yield* rightsPage
      const page = yield* send(url)
      assert.strictEqual(page.status, 200)
      const press = (right: string, more: Record<string, string> = {}) =>
        send(url, {
          method: "POST",
          headers: { cookie: page.cookie },
          body: new URLSearchParams({ guard: guardIn(page.text), right, ...more })
        })
      for (const right of ["EXPORT", "EXPORT", "ERASE"]) {
        const { location, status } = yield* press(right)
        assert.deepStrictEqual([status, location?.endsWith(`/rights?asked=${right}`)], [303, true])
      }
      yield* press("RECTIFY", { note: `  My name\u0000 is  <b>Adaeze</b> ${"x".repeat(470)}${"🙂".repeat(100)}` })
      const nothing = yield* press("EVERYTHING")
      assert.deepStrictEqual([nothing.status, nothing.location?.includes("asked")], [303, false])
      const open = yield* listed(consumer)
      assert.deepStrictEqual(open.map(({ kind }) => kind).sort(), ["ERASE", "EXPORT", "RECTIFY"])
      const [{ askedAt, dueAt } = assert.fail("there are three")] = open
      assert.strictEqual(dueAt.epochMilliseconds - askedAt.epochMilliseconds, 30 * 86_400_000)
      const note = open.find(({ kind }) => kind === "RECTIFY")?.note ?? assert.fail("it has a note")
      assert.match(Redacted.value(note), /^My name is <b>Adaeze<\/b> x+(?:🙂){2}$/u, "no half of a character")
      assert.lengthOf(Redacted.value(note), 499)
      const done = yield* send(`${url}?asked=EXPORT`)
      assert.include(done.text, "must answer you in 30 days")
    })
  )

  it.effect("are requested by no other site's form, and by no unknown link", () =>
    Effect.gen(function* () {
      const { consumer, url } = yield* rightsPage
      const other = yield* rightsPage
      const page = yield* send(url)
      const otherPage = yield* send(other.url)
      const body = (guard: string) => new URLSearchParams({ right: "ERASE", guard })
      const forged = [
        send(url, { method: "POST", body: body(guardIn(page.text)) }),
        send(url, { method: "POST", body: body(""), headers: { cookie: page.cookie } }),
        send(url, { method: "POST", body: body(guardIn(otherPage.text)), headers: { cookie: otherPage.cookie } })
      ]
      for (const { status } of yield* Effect.all(forged)) assert.strictEqual(status, 403)
      const unknown = url.replace(/consents\/./u, (found) => `consents/${found.endsWith("x") ? "y" : "x"}`)
      assert.strictEqual((yield* send(unknown)).status, 404)
      assert.isEmpty(yield* listed(consumer))
    })
  )
})
