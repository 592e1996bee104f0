import { assert, describe, layer } from "@effect/vitest"
import * as OneTimeCodes from "@surety/core/consent/admission/OneTimeCodes"
import { freePort } from "@surety/testing/machine/FreePort"
import { Effect, Layer, Redacted } from "effect"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const sent: Array<OneTimeCodes.CodeMessage> = []
const codes = OneTimeCodes.layer.pipe(
  Layer.provide(
    Layer.succeed(OneTimeCodes.CodeSender, {
      send: (message) =>
        Effect.as(
          Effect.sync(() => sent.push(message)),
          {}
        )
    })
  )
)

const port = await freePort()

const guardIn = (text: string): string => /name="guard" value="([^"]+)"/u.exec(text)?.[1] ?? ""

const cookieOf = (answer: Response): string => answer.headers.getSetCookie()[0]?.split(";")[0] ?? ""

const post = (url: string, cookie: string, form: Readonly<Record<string, string>>) =>
  fetch(url, { method: "POST", body: new URLSearchParams(form), headers: { cookie }, redirect: "manual" })

const passed = async (url: string) => {
  const shown = await fetch(url)
  const visit = cookieOf(shown)
  const guard = guardIn(await shown.text())
  await post(`${url}/code`, visit, { guard, step: "send" })
  const code = Redacted.value(sent.at(-1)?.code ?? Redacted.make(""))
  const right = await post(`${url}/code`, visit, { guard, step: "check", code })
  return { visit, guard, proof: cookieOf(right) }
}

const nearly = (secret: string): ReadonlyArray<string> => [
  `${secret}A`,
  `${secret}${secret}`,
  secret.slice(0, -1),
  secret.slice(1),
  ""
]

describe("The page's own secrets count as a whole:", () => {
  layer(PageServer.layer(port, {}, codes), { excludeTestServices: true })((it) => {
    it.effect("the proof of a right code", () =>
      Effect.gen(function* () {
        const { url } = yield* Scene.asked()
        const answered = yield* Effect.promise(async () => {
          const { proof, visit } = await passed(url)
          const look = async (cookie: string) => (await fetch(url, { headers: { cookie } })).status
          const right = await look(`${visit}; ${proof}`)
          const [name, value = ""] = proof.split("=")
          const [until, hash = ""] = decodeURIComponent(value).split("~")
          const wrong = nearly(hash).map((changed) => look(`${visit}; ${name}=${until}~${changed}`))
          return { right, wrong: await Promise.all(wrong) }
        })
        assert.deepStrictEqual(answered, { right: 200, wrong: [401, 401, 401, 401, 401] })
      })
    )

    it.effect("a form's guard", () =>
      Effect.gen(function* () {
        const { url } = yield* Scene.asked()
        const answered = yield* Effect.promise(async () => {
          const { guard, proof, visit } = await passed(url)
          const cookie = `${visit}; ${proof}`
          const decide = async (sentGuard: string) =>
            (await post(url, cookie, { guard: sentGuard, decision: "approve", field: "email" })).status
          const wrong: Array<number> = []
          for (const changed of nearly(guard)) wrong.push(await decide(changed))
          return { wrong, right: await decide(guard) }
        })
        assert.deepStrictEqual(answered, { wrong: [403, 403, 403, 403, 403], right: 303 })
      })
    )
  })
})
