import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { parseSettings } from "@surety/server/settings/parseSettings"
import { settingTable } from "@surety/server/settings/Settings"
import { Result } from "effect"

const shownIn = (environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Result.getOrThrow(parseSettings(environment)).inForce.map(({ name, value }) => [name, value]))

const hash = (token: string) => createHash("sha256").update(token).digest("hex")

const canary = "CANARY-4eC39HqLyjWDarjtT1zdp7dc"

describe("The settings in force, as the console shows them", () => {
  it("are written as one would set them, if they are no secrets", () => {
    const written = {
      LOG_LEVEL: "debug",
      CONSOLE_SESSION_IDLE: "90 m",
      CONSENT_ASK_AGAIN_AFTER: "24 h",
      FOUR_EYES_FROM: "NGN:5000, USD:50",
      CONSENT_PAGE_LANGUAGES: "en,pcm",
      CONSUMER_ID_CHECK: "shape",
      KYC_ROUTES: "bvn=kora;nin=kora",
      TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.1",
      HOOK_HOSTS: "wallet.internal",
      OTEL_SDK_DISABLED: "true",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=drill",
      OTEL_BSP_SCHEDULE_DELAY: "2500",
      CONSENT_CODE: "off",
      PLATFORM_EVENTS_URL: "off"
    }
    const shown = shownIn({ ...written, KYC_KORA_SECRET_KEY: `sk_live_${canary}` })
    for (const [name, value] of Object.entries(written)) assert.strictEqual(shown[name], value, name)
  })

  it("have their default if they are unset, or what happens without them", () => {
    const shown = shownIn({ LOG_LEVEL: " " })
    assert.deepInclude(shown, {
      LOG_LEVEL: "info",
      FOUR_EYES_FROM: "NGN:10000",
      CONSENT_PAGE_LANGUAGES: "en",
      CONSUMER_ID_CHECK: "crockford",
      RATE_LIMIT_PROVISIONING: "0",
      PROVISIONING: "open",
      BASE_PATH: "empty",
      HOOK_HOSTS: "none",
      KYC_ROUTES: "empty: LIVE verifies no one",
      TRUSTED_PROXIES: "none: a client's address is that of its connection",
      PUBLIC_URL: "not set (from HOST and PORT)",
      WALLET_URL: "not set (this ledger is the wallet)",
      WALLET_SECRET: "not set",
      SECRETS_KEY: "not set (development: created and kept in DATA_DIR)",
      KYC_KORA_SECRET_KEY: "not set"
    })
    for (const { name } of Object.values(settingTable)) {
      assert.notInclude(["", "set"], shown[name], name)
    }
  })

  it("name operators and cells without their hashes and urls", () => {
    const cells = JSON.stringify([
      { name: "west", url: `postgres://surety:${canary}@127.0.0.1/west` },
      { name: "east", url: `postgres://surety:${canary}@127.0.0.1/east`, open: false }
    ])
    const shown = shownIn({
      DATABASE_URL: `postgres://surety:${canary}@127.0.0.1/directory`,
      CELLS: cells,
      OPERATOR_TOKENS: `ada:support:${hash("a")},obi:money:${hash("b")}`
    })
    assert.deepInclude(shown, { CELLS: "west, east (closed)", OPERATOR_TOKENS: "ada (support), obi (money)" })
    assert.notInclude(JSON.stringify(shown), hash("a"))
    assert.notInclude(JSON.stringify(shown), canary)
  })

  it("never show a secret, and of a url only its host", () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
    const shown = shownIn({
      SECRETS_KEY: Buffer.alloc(32, 9).toString("base64"),
      OPERATOR_TOKEN: canary,
      WALLET_URL: `https://wallet.example/${canary}?key=${canary}`,
      WALLET_SECRET: secret,
      CONSOLE_OIDC_ISSUER: "https://id.example/tenant",
      CONSOLE_OIDC_CLIENT_ID: "console",
      CONSOLE_OIDC_CLIENT_SECRET: canary,
      CONSOLE_OIDC_ROLES: "payments-team=money",
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${canary}`,
      KYC_QOREID_CLIENT_ID: "our-client",
      KYC_QOREID_SECRET: canary,
      KYC_QOREID_WEBHOOK_SECRET: canary
    })
    assert.deepInclude(shown, {
      SECRETS_KEY: "set; a secret",
      OPERATOR_TOKEN: "set; a secret",
      WALLET_URL: "https://wallet.example",
      WALLET_SECRET: "set; a secret",
      CONSOLE_OIDC_CLIENT_SECRET: "set; a secret",
      CONSOLE_OIDC_ROLES: "payments-team=money",
      OTEL_EXPORTER_OTLP_HEADERS: "set; a secret",
      KYC_QOREID_CLIENT_ID: "our-client",
      KYC_QOREID_SECRET: "set; a secret"
    })
    const all = JSON.stringify(shown)
    for (const hidden of [canary, secret, Buffer.alloc(32, 9).toString("base64")]) assert.notInclude(all, hidden)
  })
})
