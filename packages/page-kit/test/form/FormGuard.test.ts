import { NodeCrypto } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import * as Keyring from "@surety/core/secret/Keyring"
import * as FormGuard from "@surety/page-kit/form/FormGuard"
import { Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"

const link = "link"

const keyring = Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))]).pipe(Layer.provideMerge(NodeCrypto.layer))

const requestWith = (headers: Record<string, string>) =>
  HttpServerRequest.fromWeb(new Request("http://page.example/", { headers }))

layer(keyring)("A form", (it) => {
  it.effect("counts from this very site alone: a neighbour under the same domain is another one", () =>
    Effect.gen(function* () {
      const guard = yield* FormGuard.make({ cookie: "visit", purpose: "page-kit.form", isSecure: false })
      const { visit } = yield* guard.visiting(requestWith({}))
      const field = yield* guard.field(visit, link)
      const token = /value="([^"]+)"/u.exec(field.toString())?.[1]
      const isGenuine = (site: string | undefined, sent = token) => {
        const cookie = `${guard.visitCookie}=${visit}`
        return guard.isGenuine(
          requestWith(site === undefined ? { cookie } : { cookie, "sec-fetch-site": site }),
          sent,
          link
        )
      }
      const answers = yield* Effect.forEach(
        ["same-origin", "none", undefined, "same-site", "cross-site", "anything"],
        (site) => isGenuine(site)
      )
      assert.deepStrictEqual(answers, [true, true, true, false, false, false])
      assert.isFalse(yield* isGenuine("same-origin", `${token}A`), "a token with something behind it")
      assert.isFalse(yield* isGenuine("same-origin", token?.slice(0, -1)))
    })
  )
})
