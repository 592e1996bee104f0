import { assert, it } from "@effect/vitest"
import { pages } from "@surety/console/page/pages"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { serverProcess } from "./support/ServerProcess.js"

const operatorToken = "op_console_0123456789abcdef"
const walletSecret = Buffer.alloc(32, 9).toString("base64")
const secretKey = Buffer.alloc(32, 7).toString("base64")

it.live(
  "the server shows every room of the console over PostgreSQL, and no secret of its settings",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const databaseUrl = Redacted.value(RunDatabase.asServing(url))
      const server = yield* serverProcess({
        DATABASE_URL: databaseUrl,
        OPERATOR_TOKEN: operatorToken,
        SECRETS_KEY: secretKey,
        WALLET_URL: "https://wallet.example/hooks/0123-path-secret",
        WALLET_SECRET: `whsec_${walletSecret}`,
        LOG_LEVEL: "warning"
      })
      yield* Effect.promise(async () => {
        const jar = new Map<string, string>()
        const send = async (path: string, init: RequestInit = {}) => {
          const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
          const answer = await fetch(server.url + path, {
            ...init,
            redirect: "manual",
            headers: { ...init.headers, cookie }
          })
          for (const one of answer.headers.getSetCookie()) {
            const [pair = ""] = one.split(";")
            jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
          }
          return { status: answer.status, text: await answer.text() }
        }
        const form = await send("/console/sign-in")
        const guard = /name="guard" value="([^"]+)"/u.exec(form.text)?.[1] ?? ""
        const signedIn = await send("/console/sign-in", {
          method: "POST",
          body: new URLSearchParams({ guard, next: "", name: "operator", token: operatorToken })
        })
        assert.strictEqual(signedIn.status, 303)
        const rooms = pages.filter(({ path }) => !path.includes(":"))
        for (const { csv, path } of rooms) {
          for (const environment of ["live", "test"]) {
            const { status, text } = await send(`/console/${environment}/${path}`)
            assert.strictEqual(status, 200, `${environment} ${path}`)
            for (const hidden of [operatorToken, secretKey, "path-secret", walletSecret, databaseUrl]) {
              assert.notInclude(text, hidden, path)
            }
          }
          if (csv === undefined) continue
          assert.strictEqual((await send(`/console/live/${path}?format=csv`)).status, 200, path)
        }
        // Starts a check of the books on the overview page. It runs in the background, so its result appears later.
        const overview = await send("/console/live/overview")
        assert.include(overview.text, "Not checked yet")
        const [checkForm = ""] =
          /<form[^>]*>(?:(?!<\/form>)[\s\S])*name="form" value="check"[\s\S]*?<\/form>/u.exec(overview.text) ?? []
        const fields = [...checkForm.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/gu)].map(
          ([, name = "", value = ""]): [string, string] => [name, value]
        )
        const started = await send("/console/live/overview", {
          method: "POST",
          body: new URLSearchParams([...fields, ["reason", "Before the month is closed"]])
        })
        assert.strictEqual(started.status, 303)
        let books = ""
        while (!books.includes("All agree")) {
          books = (await send("/console/live/overview")).text
          assert.notInclude(books, "They do not agree")
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
        assert.include(books, "Books check started")
        const settings = await send("/console/live/settings")
        for (const name of ["OPERATOR_TOKEN", "WALLET_URL", "https://wallet.example<", "set; a secret"]) {
          assert.include(settings.text, name)
        }
      })
    }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
  120_000
)
