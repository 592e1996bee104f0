import { assert, it } from "@effect/vitest"
import { misspeltSettings } from "@surety/server/settings/misspeltSettings"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect } from "effect"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { production } from "../support/Production.js"
import { serverProcess } from "../support/ServerProcess.js"

it("A variable that is within two typos of a setting is named, with the setting that was meant", () => {
  const environment = { WALET_URL: "https://wallet.example", KYC_ROUTE: "bvn=kora", KYC_KORA_SECRET_KY: "sk_live_x" }
  assert.deepStrictEqual(misspeltSettings(environment), [
    { name: "WALET_URL", detail: "is not a setting and is ignored. Did you mean WALLET_URL?" },
    { name: "KYC_ROUTE", detail: "is not a setting and is ignored. Did you mean KYC_ROUTES?" },
    { name: "KYC_KORA_SECRET_KY", detail: "is not a setting and is ignored. Did you mean KYC_KORA_SECRET_KEY?" }
  ])
})

it("A file for a setting that is read from its variable alone is named", () => {
  const environment = {
    SECRETS_KEY_FILE: "/run/secrets/key",
    CELLS_FILE: "/run/secrets/cells",
    WALET_SECRET_FILE: "/run"
  }
  assert.deepStrictEqual(misspeltSettings(environment), [
    { name: "SECRETS_KEY_FILE", detail: "is not a setting and is ignored. Set SECRETS_KEY to the file's content." }
  ])
})

it("Settings, and variables of other programs, are not named", () => {
  const environment = {
    WALLET_URL: "https://wallet.example",
    HOME: "/root",
    PATH: "/bin",
    LANG: "C",
    NODE_ENV: "production"
  }
  assert.deepStrictEqual(misspeltSettings({ ...environment, OTEL_LOGS_EXPORTER: "otlp", PGHOST: "db" }), [])
})

it.live(
  "A server warns at its start of a variable that is near to a setting's name",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const server = yield* serverProcess(production(url, { RATE_LIMIT_REFUND: "5" }))
      assert.include(
        server.stderr(),
        "RATE_LIMIT_REFUND is not a setting and is ignored. Did you mean RATE_LIMIT_REFUNDS?"
      )
      assert.strictEqual(server.stderr().match(/is not a setting/g)?.length, 1)
    }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
  120_000
)
