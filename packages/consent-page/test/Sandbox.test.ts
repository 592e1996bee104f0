import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, layer } from "@effect/vitest"
import * as ConsentPage from "@surety/consent-page/ConsentPage"
import { ConsentPageSettings } from "@surety/consent-page/ConsentPageSettings"
import { pageTemplateOf } from "@surety/consent-page/route/paths"
import * as SandboxPage from "@surety/consent-page/SandboxPage"
import { englishCatalog } from "@surety/consent-page/words/Catalog"
import { nigerianPidgin } from "@surety/consent-page/words/nigerianPidgin"
import { Consumers } from "@surety/core/consumer/Consumers"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { parseVerification } from "@surety/core/kyc/command/VerificationCommand"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import { SandboxPageUrl, sandboxPageBelow } from "@surety/core/kyc/provider/SandboxKycProvider"
import * as Verifications from "@surety/core/kyc/verification/Verifications"
import { pagesRouterConfig } from "@surety/page-kit/PageRouter"
import { freePort } from "@surety/testing/machine/FreePort"
import { Effect, Layer, Logger, Redacted, Result } from "effect"
import { HttpRouter } from "effect/http"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const port = await freePort()
const publicUrl = `http://127.0.0.1:${port}/pay`

const page = Layer.succeed(
  SandboxPageUrl,
  sandboxPageBelow(() => publicUrl)
)

const served = HttpRouter.serve(Layer.merge(ConsentPage.layer, SandboxPage.layer), {
  routerConfig: pagesRouterConfig,
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provide(NodeHttpServer.layer(() => createServer(), { host: "127.0.0.1", port })),
  Layer.provide(
    Layer.succeed(
      ConsentPageSettings,
      PageServer.settings(publicUrl, { basePath: "/pay", catalogs: [englishCatalog, nigerianPidgin] })
    )
  ),
  Layer.provideMerge(Verifications.layer.pipe(Layer.provide(Layer.provide(KycProviders.layerSandbox, page)))),
  Layer.provideMerge(Scene.layerAt(publicUrl)),
  Layer.provide(Logger.layer([]))
)

let keys = 0

/** Creates a verification that waits for the holder's decision on the sandbox's page. */
const waiting = Effect.gen(function* () {
  const merchant = yield* Scene.newMerchant()
  const scope = { merchantId: merchant.id, environment: "TEST" as const }
  const consumer = yield* (yield* Consumers).create({ environment: "TEST", phoneVerified: false }, merchant.id)
  const verifications = yield* Verifications.Verifications
  const id = Redacted.make("77777777777")
  const command = Result.getOrThrow(
    parseVerification({ userId: consumer.userId, kind: "bvn", id, verificationConsent: true })
  )
  keys += 1
  const { response } = yield* verifications.submit(scope, IdempotencyKey.make(`k${keys}`), command)
  const { nextAction, reference } = JSON.parse(response)
  const url: string = nextAction.url
  return {
    url,
    status: Effect.map(verifications.get(scope, reference), ({ failureReason, method, status }) => [
      status,
      failureReason ?? method
    ])
  }
})

const send = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const answer = await fetch(url, { redirect: "manual", ...init })
    const cookie = answer.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ")
    return { status: answer.status, headers: answer.headers, text: await answer.text(), cookie }
  })

const guardIn = (text: string): string => /name="guard" value="([^"]+)"/u.exec(text)?.[1] ?? ""

const decide = (url: string, cookie: string, fields: Readonly<Record<string, string>>, headers = {}) =>
  send(url, {
    method: "POST",
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...(cookie === "" ? {} : { cookie }), ...headers }
  })

describe("The sandbox's registry", () => {
  layer(served, { excludeTestServices: true })((it) => {
    it.effect("shows both buttons, keeps its privacy headers, and decides nothing by being looked at", () =>
      Effect.gen(function* () {
        const { status, url } = yield* waiting
        assert.isTrue(url.startsWith(`${publicUrl}/sandbox/kyc/sandbox_D`), url)
        for (const query of ["", "?decision=agree", "?lang=pcm"]) {
          const shown = yield* send(url + query)
          assert.strictEqual(shown.status, 200)
          assert.include(shown.text, 'value="agree"')
          assert.include(shown.text, 'value="refuse"')
          assert.include(shown.text, '<html lang="en"')
          assert.notInclude(shown.text, nigerianPidgin.name, "it has one language")
          assert.include(shown.headers.get("content-security-policy") ?? "", "form-action 'self'")
          assert.strictEqual(shown.headers.get("cache-control"), "no-store")
        }
        assert.deepStrictEqual(yield* status, ["REQUIRES_ACTION", "MERCHANT_ATTESTED"])
      })
    )

    it.effect("ends the verification as the holder says, once", () =>
      Effect.gen(function* () {
        for (const [decision, end] of [
          ["agree", ["VERIFIED", "REGISTRY_CONSENT"]],
          ["refuse", ["FAILED", "consent_refused"]]
        ] as const) {
          const { status, url } = yield* waiting
          const { cookie, text } = yield* send(url)
          const guard = guardIn(text)
          const answers = yield* Effect.replicateEffect(decide(url, cookie, { guard, decision }), 5, {
            concurrency: "unbounded"
          })
          assert.deepStrictEqual(answers.map((answer) => answer.status).sort(), [200, 409, 409, 409, 409])
          for (const { text: ended } of answers) assert.notInclude(ended, nigerianPidgin.name)
          assert.deepStrictEqual(yield* status, [...end])
        }
      })
    )

    it.effect("takes no form of another site, another browser or another verification", () =>
      Effect.gen(function* () {
        const { status, url } = yield* waiting
        const other = yield* waiting
        const { cookie, text } = yield* send(url)
        const guard = guardIn(text)
        const decision = "agree"
        for (const [sent, with_, headers] of [
          ["", { guard, decision }, {}],
          [cookie, { decision }, {}],
          [cookie, { guard, decision: "maybe" }, {}],
          [cookie, { guard: guardIn((yield* send(other.url)).text), decision }, {}],
          [cookie, { guard, decision }, { "sec-fetch-site": "cross-site" }]
        ] as const) {
          const refused = yield* decide(url, sent, with_, headers)
          assert.strictEqual(refused.status, 403)
          assert.include(refused.text, url.slice(new URL(url).origin.length), "it leads back to this page")
        }
        assert.strictEqual((yield* status)[0], "REQUIRES_ACTION")
      })
    )

    it.effect("does not exist for other references, and shows 410 once the time is over", () =>
      Effect.gen(function* () {
        const { url } = yield* waiting
        const at = url.lastIndexOf("sandbox_")
        for (const path of ["kyc_01k7wqab4ye0r8m5n7p9t1v3xz", url.slice(at).replace("_D", "_V"), "x", "%00"]) {
          assert.strictEqual((yield* send(url.slice(0, at) + path)).status, 404, path)
        }
        const old = `${url.slice(0, at)}sandbox_DXXXX_01k7wqab4ye0r8m5n7p9t1v3xz`
        assert.strictEqual((yield* send(old)).status, 410)
      })
    )

    it.effect("is logged by its template", () =>
      Effect.sync(() =>
        assert.strictEqual(
          pageTemplateOf("/sandbox/kyc/sandbox_DXXXX_01k7wqab4ye0r8m5n7p9t1v3xz"),
          "/sandbox/kyc/:token"
        )
      )
    )
  })
})
