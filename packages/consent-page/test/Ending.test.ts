import { assert, describe, layer } from "@effect/vitest"
import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { Grants } from "@surety/core/consent/grant/Grants"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { freePort } from "@surety/testing/machine/FreePort"
import { DateTime, Duration, Effect } from "effect"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const port = await freePort()

const returning = { returnUrl: "https://corner.example/orders", state: "a b&c=<1>" }

/** Submits the form like a browser, with its guard and cookie. Returns the status, and the page's text afterwards. */
const answering = (url: string, form: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const shown = await fetch(url)
    const cookie = shown.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    const guard = /name="guard" value="([^"]+)"/u.exec(await shown.text())?.[1] ?? ""
    const body = new URLSearchParams({ guard, ...form })
    const sent = await fetch(url, { method: "POST", body, headers: { cookie }, redirect: "manual" })
    const ended = await fetch(url, { headers: { cookie } })
    return { status: sent.status, text: await ended.text() }
  })

const backIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/<a class="button[^"]*" href="(https:[^"]+)"/gu)].map((match) => match[1] ?? "")

const back = "https://corner.example/orders?state=a+b%26c%3D%3C1%3E"
const home = "https://nairapay.example/"

const grantOf = Effect.fnUntraced(function* ({ id, scope }: Effect.Success<ReturnType<typeof Scene.asked>>) {
  const { grantId } = yield* (yield* DataRequests).get({ id, scope })
  if (grantId === undefined) return assert.fail("there is a grant")
  return yield* (yield* Grants).get({ id: grantId, scope })
})

const lasts = ({ expiresAt, grantedAt }: Effect.Success<ReturnType<typeof grantOf>>): number =>
  Duration.toDays(DateTime.distance(grantedAt, expiresAt))

describe("The end of a decision", () => {
  layer(PageServer.layer(port, { home }), { excludeTestServices: true })((it) => {
    it.effect("leads back to the merchant with its state, and says nothing of the decision there", () =>
      Effect.gen(function* () {
        const yes = yield* answering((yield* Scene.asked(returning)).url, { decision: "approve", field: "email" })
        const no = yield* answering((yield* Scene.asked(returning)).url, { decision: "deny" })
        assert.deepStrictEqual([yes.status, no.status], [303, 303])
        assert.deepStrictEqual(backIn(yes.text), [back, home])
        assert.deepStrictEqual(backIn(no.text), backIn(yes.text))
        for (const { text } of [yes, no])
          assert.match(text, /<a class="button" href="https:\/\/corner[^>]* rel="noreferrer"/u)
      })
    )

    it.effect("leads a person who does not know the merchant to the platform alone", () =>
      Effect.gen(function* () {
        const ended = yield* answering((yield* Scene.asked(returning)).url, { decision: "not_me" })
        assert.deepStrictEqual(backIn(ended.text), [home])
      })
    )

    it.effect("stays shown for a form of the question that is still open elsewhere, without any detail", () =>
      Effect.gen(function* () {
        for (const decision of ["not_me", "deny", "approve"]) {
          const { url } = yield* Scene.asked()
          const stale = yield* Effect.promise(async () => {
            const shown = await fetch(url)
            const cookie = shown.headers.getSetCookie()[0]?.split(";")[0] ?? ""
            const question = await shown.text()
            assert.include(question, "a•••@example.com")
            const guard = /name="guard" value="([^"]+)"/u.exec(question)?.[1] ?? ""
            const send = (form: Readonly<Record<string, string>>) =>
              fetch(url, {
                method: "POST",
                body: new URLSearchParams({ guard, field: "email", ...form }),
                headers: { cookie },
                redirect: "manual"
              })
            assert.strictEqual((await send({ decision })).status, 303)
            const forms = [{ lang: "en" }, { decision: "other" }, { decision: "approve", duration: "-1" }, {}]
            return Promise.all(
              forms.map(async (form) => {
                const answer = await send(form)
                return { status: answer.status, text: await answer.text() }
              })
            )
          })
          for (const { status, text } of stale) {
            assert.strictEqual(status, 409)
            assert.include(text, "You answered this before.")
            assert.notInclude(text, "a•••@example.com")
            assert.notInclude(text, 'value="approve"')
          }
        }
      })
    )

    it.effect("says that the merchant cannot ask again while that is so, regardless of the address", () =>
      Effect.gen(function* () {
        const blocks = yield* AskingBlocks
        const { consumer, scope, url } = yield* Scene.asked()
        yield* answering(url, { decision: "deny" })
        const shown = (address: string) => Effect.promise(async () => (await fetch(address)).text())
        const [stopped, offered] = ["Corner Shop</bdi> cannot ask you again.", 'value="stop_asking"']
        const asIs = yield* shown(`${url}?stopped`)
        assert.notInclude(asIs, stopped)
        assert.include(asIs, offered)
        const { status, text } = yield* answering(url, { decision: "stop_asking" })
        assert.strictEqual(status, 303)
        assert.include(text, stopped, "also with the link alone")
        assert.notInclude(text, offered)
        yield* blocks.lift(scope, consumer.serviceId)
        assert.include(yield* shown(url), offered)
      })
    )

    it.effect("shortens what was asked for as the person chose, never lengthens it", () =>
      Effect.gen(function* () {
        const shorter = yield* Scene.asked({ duration: 90 })
        yield* answering(shorter.url, { decision: "approve", field: "email", duration: "7" })
        assert.strictEqual(lasts(yield* grantOf(shorter)), 7)
        const asAsked = yield* Scene.asked({ duration: 90 })
        yield* answering(asAsked.url, { decision: "approve", field: "email", duration: "" })
        assert.strictEqual(lasts(yield* grantOf(asAsked)), 90)
        const once = yield* Scene.asked()
        const ended = yield* answering(once.url, { decision: "approve", field: "email", duration: "ONE_TIME" })
        assert.isTrue((yield* grantOf(once)).oneTime)
        assert.include(ended.text, "may look once, by")
        for (const [duration, chosen, status] of [
          [30, "90", 400],
          ["ONE_TIME", "1", 400],
          [30, "9999999", 200],
          [30, "0x1", 200],
          [30, "-1", 200]
        ] as const) {
          const asked = yield* Scene.asked({ duration })
          const sent = yield* answering(asked.url, { decision: "approve", field: "email", duration: chosen })
          assert.strictEqual(sent.status, status, chosen)
          const { id, scope } = asked
          assert.strictEqual((yield* (yield* DataRequests).get({ id, scope })).status, "PENDING", chosen)
        }
      })
    )

    it.effect("says that the one look was taken", () =>
      Effect.gen(function* () {
        const reads = yield* IdentityReads
        const person = yield* PersonConsents
        const asked = yield* Scene.asked({ duration: "ONE_TIME" })
        yield* answering(asked.url, { decision: "approve", field: "email" })
        yield* reads.read(asked.scope, { serviceId: asked.consumer.serviceId })
        const text = yield* Effect.promise(async () => (await fetch(asked.url)).text())
        assert.match(text, /looked on <b>.*<\/b>, and can look no more/u)
        const manager = yield* person.open(yield* person.managementToken(asked.token))
        const { data } = yield* person.receipts(manager, Scene.page)
        assert.lengthOf(data, 2)
      })
    )
  })
})
