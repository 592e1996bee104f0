import { assert, describe, it } from "@effect/vitest"
import { describeFaults, parseSettings } from "@surety/server/settings/parseSettings"
import { settingTable } from "@surety/server/settings/settingTable"
import { Redacted, Result } from "effect"

const key = Buffer.alloc(32, 1).toString("base64")

const namesOfFaults = (environment: Record<string, string>): ReadonlyArray<string> => {
  const parsed = parseSettings(environment)
  return Result.isFailure(parsed) ? parsed.failure.map(({ name }) => name) : []
}

describe("Settings", () => {
  it("have a default for everything in development", () => {
    const parsed = parseSettings({})
    assert.isTrue(Result.isSuccess(parsed))
    if (Result.isFailure(parsed)) return
    assert.deepInclude(parsed.success, {
      profile: "development",
      host: "127.0.0.1",
      port: 3000,
      basePath: "",
      databaseUrl: undefined,
      dataDir: ".surety",
      provisioning: "open",
      metrics: "open"
    })
  })

  it("open provisioning only on loopback, and only in development", () => {
    const exposed = parseSettings({ HOST: "0.0.0.0" })
    assert.strictEqual(Result.isSuccess(exposed) && exposed.success.provisioning, "token")
    const production = parseSettings({
      SURETY_PROFILE: "production",
      DATABASE_URL: "postgres://surety@db/surety",
      OPERATOR_TOKEN: "op_0123456789abcdef",
      SECRETS_KEY: key
    })
    assert.strictEqual(Result.isSuccess(production) && production.success.provisioning, "token")
    assert.strictEqual(Result.isSuccess(production) && production.success.metrics, "token")
  })

  it("that production needs are all named when they are missing", () => {
    assert.deepStrictEqual(namesOfFaults({ SURETY_PROFILE: "production" }), [
      "DATABASE_URL",
      "OPERATOR_TOKEN",
      "SECRETS_KEY"
    ])
  })

  it("that are wrong are named all at once", () => {
    const environment = {
      SURETY_PROFILE: "staging",
      PORT: "70000",
      BASE_PATH: "api",
      DATABASE_URL: "mysql://db",
      OPERATOR_TOKEN: "short",
      PROVISIONING: "maybe",
      SECRETS_KEY: `${key},c2hvcnQ=`,
      PUBLIC_URL: "ftp://surety.example",
      LOG_LEVEL: "loud"
    }
    assert.deepStrictEqual([...namesOfFaults(environment)].sort(), Object.keys(environment).sort())
  })

  it("never repeat a secret in what they are told as", () => {
    const parsed = parseSettings({
      DATABASE_URL: "mysql://ada:hunter2@db",
      OPERATOR_TOKEN: "tooshort",
      SECRETS_KEY: "bm90IHRoaXJ0eS10d28="
    })
    const message = Result.isFailure(parsed) ? describeFaults(parsed.failure) : ""
    assert.include(message, "DATABASE_URL")
    for (const secret of ["hunter2", "tooshort", "bm90IHRoaXJ0eS10d28="]) assert.notInclude(message, secret)
  })

  it("take a list of secret keys, the first of them active", () => {
    const older = Buffer.alloc(32, 2).toString("base64")
    const parsed = parseSettings({ SECRETS_KEY: `${key}, ${older}` })
    const keys = Result.isSuccess(parsed) ? (parsed.success.secretKeys ?? []) : []
    assert.deepStrictEqual(
      keys.map((redacted) => Redacted.value(redacted)[0]),
      [1, 2]
    )
  })

  it("want the consent hook's address and secret together, and a hook where a code is demanded", () => {
    const secret = `whsec_${key}`
    const url = "https://pay.example/hooks/consent"
    assert.deepStrictEqual(namesOfFaults({ CONSENT_NOTIFY_URL: url, CONSENT_NOTIFY_SECRET: secret }), [])
    assert.deepStrictEqual(namesOfFaults({ CONSENT_NOTIFY_URL: url }), ["CONSENT_NOTIFY_SECRET"])
    assert.deepStrictEqual(namesOfFaults({ CONSENT_NOTIFY_SECRET: secret }), ["CONSENT_NOTIFY_URL"])
    assert.deepStrictEqual(namesOfFaults({ CONSENT_CODE: "required" }), ["CONSENT_NOTIFY_URL"])
    const wrong = {
      CONSENT_NOTIFY_URL: "mailto:a@b.example",
      CONSENT_NOTIFY_SECRET: "whsec_c2hvcnQ=",
      CONSENT_CODE: "yes"
    }
    assert.deepStrictEqual([...namesOfFaults(wrong)].sort(), Object.keys(wrong).sort())
    assert.deepStrictEqual(namesOfFaults({ CONSENT_PAGE_LANGUAGES: "en, xx" }), ["CONSENT_PAGE_LANGUAGES"])
    const parsed = parseSettings({ CONSENT_PAGE_LANGUAGES: "pcm,en" })
    const languages = Result.isSuccess(parsed) ? parsed.success.consentPageLanguages : []
    assert.deepStrictEqual(
      languages.map(({ language }) => language),
      ["pcm", "en"]
    )
  })

  it("treat a set but empty variable as unset", () => {
    assert.deepStrictEqual(namesOfFaults({ PORT: "", DATABASE_URL: " " }), [])
  })

  it("each say what they mean and what they are when unset", () => {
    for (const { defaultText, meaning, name } of Object.values(settingTable)) {
      assert.match(name, /^[A-Z][A-Z_]+$/)
      assert.isAbove(meaning.length, 5)
      assert.isAbove(defaultText.length, 0)
    }
  })
})
