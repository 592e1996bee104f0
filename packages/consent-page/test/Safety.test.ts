import { assert, describe, layer } from "@effect/vitest"
import { ConsentPageSettings } from "@surety/consent-page/ConsentPageSettings"
import * as PageTracing from "@surety/consent-page/PageTracing"
import { pageTemplateOf } from "@surety/consent-page/route/paths"
import { linkGuessLimit } from "@surety/core/consent/admission/LinkGuessLimit"
import { Grants } from "@surety/core/consent/grant/Grants"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { MemoryState } from "@surety/core/memory/MemoryState"
import { freePort } from "@surety/testing/machine/FreePort"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { HttpMiddleware, HttpServerRequest } from "effect/http"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly cookie: string
}

const send = (url: string, init: RequestInit = {}) =>
  Effect.promise(async (): Promise<Answer> => {
    const answer = await fetch(url, { redirect: "manual", ...init })
    const cookie = answer.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ")
    return { status: answer.status, headers: answer.headers, text: await answer.text(), cookie }
  })

const guardIn = ({ text }: Answer): string => /name="guard" value="([^"]+)"/u.exec(text)?.[1] ?? ""

const sendForm = (
  url: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {}
) =>
  send(url, {
    method: "POST",
    body: new URLSearchParams(form).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
  })

const statusOf = Effect.fnUntraced(function* ({ id, scope }: Effect.Success<ReturnType<typeof Scene.asked>>) {
  return (yield* (yield* DataRequests).get({ id, scope })).status
})

const port = await freePort()
const otherPort = await freePort()

describe("The page is safe:", () => {
  layer(PageServer.layer(port), { excludeTestServices: true })((it) => {
    it.effect("looking at it decides nothing, however it is looked at", () =>
      Effect.gen(function* () {
        const asked = yield* Scene.asked()
        for (const query of ["", "?decision=approve&field=email", "/code?step=send", "?lang=en"]) {
          assert.strictEqual((yield* send(asked.url + query)).status, 200)
        }
        assert.strictEqual((yield* send(asked.url, { method: "HEAD" })).status, 200)
        assert.strictEqual(yield* statusOf(asked), "PENDING")
      })
    )

    it.effect("no one may keep it, frame it, run anything on it or learn its address from it", () =>
      Effect.gen(function* () {
        const { url } = yield* Scene.asked()
        for (const address of [url, `${url}x`]) {
          const { headers, text } = yield* send(address)
          assert.strictEqual(
            headers.get("content-security-policy"),
            "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
          )
          assert.strictEqual(headers.get("cache-control"), "no-store")
          assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
          assert.strictEqual(headers.get("x-frame-options"), "DENY")
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
          assert.notMatch(text, /<script|<style|style=|\son\w+=|javascript:/iu)
        }
      })
    )

    it.effect("the token stands in no link that leads elsewhere, and the cookie is for this server alone", () =>
      Effect.gen(function* () {
        const { token, url } = yield* Scene.asked()
        const { headers, text } = yield* send(url)
        const outgoing = [...text.matchAll(/href="(https?:[^"]+)"/gu)].map((match) => match[1] ?? "")
        assert.isNotEmpty(outgoing)
        for (const href of outgoing) assert.notInclude(href, Redacted.value(token))
        const [cookie = ""] = headers.getSetCookie()
        assert.match(cookie, /^consent_visit=[A-Za-z0-9_-]{43}; .*HttpOnly.*SameSite=Lax/iu)
        assert.notInclude(cookie, Redacted.value(token))
      })
    )

    it.effect("a form counts only from the page that this browser was given for this link", () =>
      Effect.gen(function* () {
        const asked = yield* Scene.asked()
        const other = yield* Scene.asked()
        const page = yield* send(asked.url)
        const otherPage = yield* send(other.url)
        const { cookie } = page
        const form = { decision: "approve", field: "email", guard: guardIn(page) }
        const forged = [
          sendForm(asked.url, { ...form, guard: "" }, { cookie }),
          sendForm(asked.url, { decision: "approve", field: "email" }, { cookie }),
          sendForm(asked.url, form),
          sendForm(asked.url, form, { cookie: otherPage.cookie }),
          sendForm(asked.url, { ...form, guard: guardIn(otherPage) }, { cookie: otherPage.cookie }),
          sendForm(asked.url, form, { cookie, "sec-fetch-site": "cross-site" }),
          sendForm(asked.url, { ...form, padding: "x".repeat(20_000) }, { cookie }),
          send(asked.url, {
            method: "POST",
            body: JSON.stringify(form),
            headers: { cookie, "content-type": "application/json" }
          })
        ]
        for (const [index, attempt] of forged.entries()) {
          assert.strictEqual((yield* attempt).status, 403, `attempt ${index}`)
        }
        assert.strictEqual(yield* statusOf(asked), "PENDING")
        const sent = yield* sendForm(asked.url, form, { cookie, "sec-fetch-site": "same-origin" })
        assert.deepStrictEqual([sent.status, sent.headers.get("location")], [303, new URL(asked.url).pathname])
        assert.strictEqual(yield* statusOf(asked), "APPROVED")
      })
    )

    it.effect("fields that were not asked for are not approved, for any form", () =>
      Effect.gen(function* () {
        const asked = yield* Scene.asked({ fields: ["email"] })
        const page = yield* send(asked.url)
        const form = { decision: "approve", field: "display_name", guard: guardIn(page) }
        assert.strictEqual((yield* sendForm(asked.url, form, { cookie: page.cookie })).status, 400)
        const nothing = { decision: "perhaps", field: "email", guard: guardIn(page) }
        assert.strictEqual((yield* sendForm(asked.url, nothing, { cookie: page.cookie })).status, 200)
        assert.strictEqual(yield* statusOf(asked), "PENDING")
      })
    )

    it.effect("a wrong link, an expired one and a cancelled one are answered with the same bytes", () =>
      Effect.gen(function* () {
        const state = yield* MemoryState
        const requests = yield* DataRequests
        const [expired, cancelled] = yield* Effect.all([Scene.asked(), Scene.asked()])
        const stored = state.dataRequests.get(expired.id)
        if (stored === undefined) return assert.fail("it is stored")
        const request = { ...stored.request, expiresAt: yield* DateTime.now }
        state.dataRequests.set(expired.id, { ...stored, request })
        yield* requests.cancel(cancelled.scope, cancelled.id)
        const base = `http://127.0.0.1:${port}`
        const addresses = [expired.url, cancelled.url, `${base}/consent/x`, `${base}/consent/${"A".repeat(43)}`]
        const managed = [`${base}/consents/${"A".repeat(43)}`, `${base}/consents/%00`, `${base}/consents/x/receipts/y`]
        const answers = yield* Effect.forEach([...addresses, ...managed], (address) => send(address))
        const plain = answers.map(({ headers, status, text }) => ({
          status,
          text,
          headers: [...headers].filter(([name]) => name !== "date")
        }))
        for (const answer of plain) assert.deepStrictEqual(answer, plain[0])
        assert.strictEqual(plain[0]?.status, 404)
        const forms = yield* Effect.forEach(addresses, (address) => sendForm(address, { decision: "approve" }))
        assert.deepStrictEqual([...new Set(forms.map(({ text }) => text))], [plain[0]?.text])
      })
    )

    it.effect("a link that has been used shows what was decided, and decides nothing else", () =>
      Effect.gen(function* () {
        const asked = yield* Scene.asked()
        const page = yield* send(asked.url)
        const form = { decision: "deny", guard: guardIn(page) }
        assert.strictEqual((yield* sendForm(asked.url, form, { cookie: page.cookie })).status, 303)
        const again = { decision: "approve", field: "email", guard: guardIn(page) }
        const late = yield* sendForm(asked.url, again, { cookie: page.cookie })
        assert.strictEqual(late.status, 409)
        assert.include(late.text, "Nothing was shared")
        assert.strictEqual(yield* statusOf(asked), "DENIED")
      })
    )

    it.effect("a person's page revokes no grant of another person", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents
        const grants = yield* Grants
        const [mine, theirs] = yield* Effect.all([Scene.asked(), Scene.asked()])
        yield* Scene.approveBy(mine.token, { fields: ["email"], notice: Scene.notice })
        const { grantId } = yield* Scene.approveBy(theirs.token, { fields: ["email"], notice: Scene.notice })
        if (grantId === undefined) return assert.fail("there is a grant")
        const token = Redacted.value(yield* person.managementToken(mine.token))
        const url = mine.url.replace(/\/consent\/.*$/u, `/consents/${token}`)
        const page = yield* send(url)
        for (const revoke of [grantId, "grant_x", "", "__proto__"]) {
          const sent = yield* sendForm(url, { revoke, guard: guardIn(page) }, { cookie: page.cookie })
          assert.match(sent.headers.get("location") ?? "", /done=0$/u)
        }
        assert.strictEqual((yield* grants.get({ id: grantId, scope: undefined })).status, "ACTIVE")
      })
    )
  })

  layer(PageServer.layer(otherPort), { excludeTestServices: true })((it) => {
    it.effect(
      "a visitor who tries many links has to stop, and keeps no one behind the same address from deciding",
      () =>
        Effect.gen(function* () {
          const asked = yield* Scene.asked()
          const wrong = `http://127.0.0.1:${otherPort}/consent/guess`
          for (let tried = 0; tried < linkGuessLimit; tried++)
            assert.strictEqual((yield* send(wrong + tried)).status, 404)
          const refused = yield* send(`${wrong}-more`)
          assert.strictEqual(refused.status, 429)
          assert.isAbove(Number(refused.headers.get("retry-after")), 0)
          const page = yield* send(asked.url)
          const form = { decision: "approve", field: "email", guard: guardIn(page) }
          assert.strictEqual((yield* sendForm(asked.url, form, { cookie: page.cookie })).status, 303)
          assert.strictEqual(yield* statusOf(asked), "APPROVED")
        })
    )
  })

  layer(
    PageTracing.layer.pipe(
      Layer.provide(
        Layer.succeed(ConsentPageSettings, PageServer.settings("http://a.example/base", { basePath: "/base" }))
      )
    )
  )((it) => {
    it.effect("no span is made of a request whose address holds a token; of others there is", () =>
      Effect.gen(function* () {
        const isDisabled = yield* HttpMiddleware.TracerDisabledWhen
        const disabled = (path: string) => isDisabled(HttpServerRequest.fromWeb(new Request(`http://a.example${path}`)))
        assert.isTrue(disabled("/base/consent/secret"))
        assert.isTrue(disabled("/base/consents/secret/receipts/x?lang=en"))
        assert.isTrue(disabled("/Base/CONSENT/secret"), "the router takes it for the page")
        assert.isTrue(disabled("/base//consent/secret"))
        assert.isTrue(disabled("/base/sandbox/kyc/secret"))
        const proxied = HttpServerRequest.fromWeb(new Request("http://a.example/")).modify({
          url: "http://b.example/base/consent/secret"
        })
        assert.isTrue(isDisabled(proxied), "an absolute target")
        assert.isFalse(disabled("/base/consent-page/style.css"))
        assert.isFalse(disabled("/base/v1/refunds"))
        assert.strictEqual(pageTemplateOf("/Consents/secret/reads"), "/consents/:token/reads")
      })
    )
  })
})
