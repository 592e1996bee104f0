import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"
import { placeOf } from "../docs/Fence.js"
import { followPage } from "../docs/followPage.js"
import { makeShell } from "../docs/Shell.js"
import { steadyText } from "../docs/Shown.js"
import { applicant, created, merchantWithConsumer, send } from "../support/Merchant.js"
import { paid, refunding, request } from "../support/Requests.js"
import { audit, environmentOf, sound } from "../support/ServerPair.js"
import { main, serverProcess } from "../support/ServerProcess.js"

const page = "docs/platform/cells.md"

const inDatabase = (url: Redacted.Redacted): string => Redacted.value(url)

/**
 * The url of the `postgres` database on a second PostgreSQL server, which `TestPostgres` starts. If `TEST_DATABASE_URL`
 * is set, both cells are on the server at that url.
 */
const secondServer = Effect.map(TestPostgres.TestPostgres, ({ url }) => {
  const database = new URL(Redacted.value(url))
  database.pathname = "/postgres"
  return Redacted.make(database.href)
})

it.live(
  "A server of one database goes on with it as the first of two cells, on two PostgreSQL servers, as the page says",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const second = yield* secondServer
      const alone: Readonly<Record<string, string>> = {
        ...environmentOf(url),
        SURETY_PROFILE: "production",
        PROVISIONING: "open"
      }
      const before = yield* serverProcess(alone, { asOwner: "the page goes on with one user" })
      const merchant = yield* merchantWithConsumer(before)
      const transactionId = yield* paid(before, merchant, 100)
      const refund = yield* request(before, refunding(merchant, transactionId, "before", 10))
      assert.strictEqual(refund.status, 201, refund.text)
      yield* Effect.promise(() => before.stop())

      const directory = mkdtempSync(path.join(tmpdir(), "surety-cells-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true, force: true })))
      const shell = makeShell(directory, {
        arrive: (text) =>
          text
            .replaceAll("postgres://surety:first@db-1:5432/surety", inDatabase(url))
            .replaceAll("postgres://surety:second@db-2:5432/surety", inDatabase(second)),
        show: (text) => text
      })
      yield* shell.run(`surety() { node ${main} "$@"; }\nexport SECRETS_KEY=${alone.SECRETS_KEY} LOG_LEVEL=warning`)
      yield* followPage(page, shell, ({ fence, printed }) =>
        assert.strictEqual(steadyText(printed), steadyText(fence.code), placeOf(fence))
      )

      const environment = { ...alone, CELLS_FILE: path.join(directory, "cells.json") }
      const server = yield* serverProcess(environment, { asOwner: "the page goes on with one user" })
      const again = yield* request(server, refunding(merchant, transactionId, "before", 10))
      assert.strictEqual(again.text, refund.text, "keys and idempotency keys are those of before")
      const newcomer = yield* created(server, "/merchants", { body: applicant })
      const keys = `/merchants/${newcomer.body.id}/api-keys`
      const { body } = yield* created(server, keys, { body: { environment: "TEST" } })
      const known = { ...merchant, id: newcomer.body.id, key: body.secret }
      const people = yield* created(server, "/v1/test-helpers/consumers", { bearer: known.key, body: {} })
      const payment = yield* paid(server, { ...known, serviceId: people.body.serviceId }, 50)
      const made = yield* request(server, refunding(known, payment, "first", 5))
      assert.strictEqual(made.status, 201, made.text)
      const bearer = server.operatorToken
      const refunds = yield* send(server, "GET", "/operator/refunds?environment=TEST", { bearer })
      assert.lengthOf(refunds.body.data, 2)
      assert.deepStrictEqual(yield* audit(environment), sound)
    }).pipe(Effect.scoped, Effect.provide([RunDatabase.layer, TestPostgres.layer])),
  300_000
)
