import { createHash } from "node:crypto"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { rateLimitsOfSettings } from "@surety/server/rateLimits"
import { describeFaults, parseSettings } from "@surety/server/settings/parseSettings"
import { settingTable } from "@surety/server/settings/Settings"
import { Duration, Redacted, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

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
      workers: true,
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

  it("take operators with tokens of their own, in place of the one of all", () => {
    const hash = (digit: string) => digit.repeat(64)
    const production = { SURETY_PROFILE: "production", DATABASE_URL: "postgres://surety@db/surety", SECRETS_KEY: key }
    assert.deepStrictEqual(namesOfFaults(production), ["OPERATOR_TOKEN"])
    const named = { ...production, OPERATOR_TOKENS: `ada:support:${hash("a")}, obi:money:${hash("b")}` }
    const parsed = parseSettings(named)
    assert.deepStrictEqual(Result.isSuccess(parsed) && parsed.success.operators, [
      { name: "ada", role: "support", tokenHash: hash("a") },
      { name: "obi", role: "money", tokenHash: hash("b") }
    ])
    for (const wrong of [
      "ada",
      `ada:owner:${hash("a")}`,
      `operator:admin:${hash("a")}`,
      `Operator:admin:${hash("a")}`,
      `a da:admin:${hash("a")}`,
      // The hashes that an unset "$TOKEN" gives: of nothing, and of echo's line feed.
      `ada:admin:${createHash("sha256").update("").digest("hex")}`,
      `ada:admin:${createHash("sha256").update("\n").digest("hex")}`,
      "ada:admin:hunter2-hunter2-hunter2",
      `ada:admin:${hash("A")}`,
      `ada:admin:${hash("a")}:x`,
      `ada:admin:${hash("a")},ada:viewer:${hash("b")}`,
      `ada:admin:${hash("a")},Ada:viewer:${hash("b")}`,
      `ada:admin:${hash("a")},obi:viewer:${hash("a")}`
    ]) {
      assert.deepStrictEqual(namesOfFaults({ ...production, OPERATOR_TOKENS: wrong })[0], "OPERATOR_TOKENS", wrong)
    }
    assert.deepStrictEqual(
      namesOfFaults({
        ...named,
        OPERATOR_TOKEN: "t".repeat(16),
        OPERATOR_TOKENS: `ada:viewer:${hash("t".repeat(16))}`
      }),
      ["OPERATOR_TOKENS"]
    )
    const shown = parseSettings({ ...named, OPERATOR_TOKENS: "ada:admin:hunter2-hunter2-hunter2" })
    assert.notInclude(Result.isFailure(shown) ? describeFaults(shown.failure) : "hunter2", "hunter2")
    assert.deepStrictEqual(namesOfFaults({ OPERATOR_NAME: "Ada Obi" }), ["OPERATOR_NAME"])
  })

  it("bound how often a merchant asks a person: 5 at a time, 10 a day, the same after 24 hours", () => {
    const asksOf = (environment: Record<string, string>) => {
      const parsed = parseSettings(environment)
      if (Result.isFailure(parsed)) return assert.fail(describeFaults(parsed.failure))
      const { consentAskAgainAfter, consentAsksOpen, consentAsksPerDay } = parsed.success
      return [consentAsksOpen, consentAsksPerDay, Duration.toSeconds(consentAskAgainAfter)]
    }
    assert.deepStrictEqual(asksOf({}), [5, 10, 86_400])
    const off = { CONSENT_ASKS_OPEN: "0", CONSENT_ASKS_PER_DAY: "0", CONSENT_ASK_AGAIN_AFTER: "0" }
    assert.deepStrictEqual(asksOf(off), [0, 0, 0])
    const times = [
      ["90 s", 90],
      ["90s", 90],
      ["30 m", 1_800],
      ["24 h", 86_400],
      ["7d", 604_800]
    ] as const
    for (const [text, seconds] of times) {
      assert.deepStrictEqual(asksOf({ CONSENT_ASK_AGAIN_AFTER: text }), [5, 10, seconds])
    }
    for (const text of ["24", "-1 h", "1.5 h", "h", "9999 d", "1 week"]) {
      assert.deepStrictEqual(namesOfFaults({ CONSENT_ASK_AGAIN_AFTER: text }), ["CONSENT_ASK_AGAIN_AFTER"])
    }
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
      RATE_LIMIT_REFUNDS: "-1",
      RATE_LIMIT_REFUNDS_BURST: "0",
      CONSENT_ASKS_OPEN: "-1",
      CONSENT_ASKS_PER_DAY: "ten",
      CONSENT_ASK_AGAIN_AFTER: "24",
      RATE_LIMIT_OTHER: "many",
      RATE_LIMIT_PROVISIONING: "1.5",
      TRUSTED_PROXIES: "10.0.0.0/8, 10.0.0.300",
      LOG_LEVEL: "loud"
    }
    assert.deepStrictEqual([...namesOfFaults(environment)].sort(), Object.keys(environment).sort())
  })

  it("take no url with a user name or password where it is shown or called, and do not repeat it", () => {
    const url = "https://ada:hunter2@pay.example"
    const parsed = parseSettings({ PUBLIC_URL: url, CONSENT_NOTIFY_URL: url, CONSENT_NOTIFY_SECRET: `whsec_${key}` })
    const faults = Result.isFailure(parsed) ? parsed.failure : []
    assert.deepStrictEqual(
      faults.map(({ name }) => name),
      ["PUBLIC_URL", "CONSENT_NOTIFY_URL"]
    )
    assert.notInclude(describeFaults(faults), "hunter2")
  })

  it("never repeat a secret in their messages", () => {
    const parsed = parseSettings({
      DATABASE_URL: "mysql://ada:hunter2@db",
      OPERATOR_TOKEN: "tooshort",
      SECRETS_KEY: "bm90IHRoaXJ0eS10d28="
    })
    const message = Result.isFailure(parsed) ? describeFaults(parsed.failure) : ""
    assert.include(message, "DATABASE_URL")
    for (const secret of ["hunter2", "tooshort", "bm90IHRoaXJ0eS10d28="]) assert.notInclude(message, secret)
  })

  it("refuse a password that is not encoded, which would be taken for the database's name and shown", () => {
    for (const password of ["/hunter2", "5432/hunter2", "?hunter2", "12#hunter2"]) {
      const parsed = parseSettings({ DATABASE_URL: `postgres://surety:${password}@db/surety` })
      const message = Result.isFailure(parsed) ? describeFaults(parsed.failure) : assert.fail(password)
      assert.match(message, /DATABASE_URL .*percent-encoded/u)
      assert.notInclude(message, "hunter2")
    }
    const encoded = { DATABASE_URL: "postgres://surety:%2Fhunter2%40%23@db/surety?application_name=pay" }
    assert.deepStrictEqual(namesOfFaults(encoded), [])
  })

  it("refuse what the database's driver would ignore in a url, such as a wish for TLS", () => {
    const base = "postgres://surety:hunter2@db/surety"
    for (const query of [
      "ssl=true",
      "sslMode=verify-full",
      "ssl_mode=require",
      "sslmode=Require",
      "sslmode=require&sslmode=disable",
      "sslmode=",
      "sslmode=verify-ca&sslrootcert=/etc/ca.pem",
      "sslmode=require&channel_binding=require",
      "target_session_attrs=read-write",
      "port=0",
      "port=five"
    ]) {
      const parsed = parseSettings({ DATABASE_URL: `${base}?${query}`, PORT: "70000" })
      const faults = Result.isFailure(parsed) ? parsed.failure : assert.fail(query)
      assert.deepStrictEqual(faults.map(({ name }) => name).sort(), ["DATABASE_URL", "PORT"], query)
      assert.notInclude(describeFaults(faults), "hunter2")
    }
    for (const query of ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"].map(
      (m) => `sslmode=${m}`
    )) {
      assert.deepStrictEqual(namesOfFaults({ DATABASE_URL: `${base}?${query}` }), [])
    }
    const socket = "postgres:///surety?host=/run/postgresql&user=surety&options=-c%20jit%3Doff"
    assert.deepStrictEqual(namesOfFaults({ DATABASE_URL: socket }), [])
    assert.deepStrictEqual(namesOfFaults({ DATABASE_URL: "postgres://surety:100%@db/surety" }), ["DATABASE_URL"])
  })

  it("refuse a public url or base path below which no page would be found", () => {
    for (const url of [
      "https://pay.example/?a=b",
      "https://pay.example/#top",
      "https://pay.example/?",
      "https://pay.example#"
    ]) {
      assert.deepStrictEqual(namesOfFaults({ PUBLIC_URL: url }), ["PUBLIC_URL"], url)
    }
    for (const path of ["/..", "/.", "/pay/../v2", "/pay/."]) {
      assert.deepStrictEqual(namesOfFaults({ BASE_PATH: path }), ["BASE_PATH"], path)
    }
    assert.deepStrictEqual(namesOfFaults({ PUBLIC_URL: "https://pay.example/a/", BASE_PATH: "/v1.2/.well-known" }), [])
  })

  it("refuse in production that the environment turns off all checks of certificates", () => {
    const production = {
      SURETY_PROFILE: "production",
      DATABASE_URL: "postgres://surety@db/surety",
      OPERATOR_TOKEN: "op_0123456789abcdef",
      SECRETS_KEY: key
    }
    const off = { NODE_TLS_REJECT_UNAUTHORIZED: "0" }
    assert.deepStrictEqual(namesOfFaults({ ...production, ...off }), ["NODE_TLS_REJECT_UNAUTHORIZED"])
    assert.deepStrictEqual(namesOfFaults({ ...production, NODE_TLS_REJECT_UNAUTHORIZED: "1" }), [])
    assert.deepStrictEqual(namesOfFaults(off), [])
  })

  it("take a list of secret keys, the first of them active", () => {
    const older = Buffer.alloc(32, 2).toString("base64")
    const parsed = parseSettings({ SECRETS_KEY: `${key}, ${older}` })
    const keys = Result.isSuccess(parsed) ? (parsed.success.secretKeys ?? []) : []
    assert.deepStrictEqual(
      keys.map((redacted) => Redacted.value(redacted)[0]),
      [1, 2]
    )
    assert.deepStrictEqual(namesOfFaults({ SECRETS_KEY: `${key},${older},${key}` }), ["SECRETS_KEY"])
  })

  it.each(["CONSENT_NOTIFY", "WALLET", "DIRECTORY"])("refuse a %s_URL that production would never call", (hook) => {
    const [urlName, secretName] = [`${hook}_URL`, `${hook}_SECRET`]
    const production = {
      SURETY_PROFILE: "production",
      DATABASE_URL: "postgres://db/surety",
      OPERATOR_TOKEN: "operator-token-0123456789",
      SECRETS_KEY: key,
      [secretName]: `whsec_${key}`
    }
    for (const url of [
      "http://pay.example/hooks",
      "https://user:password@pay.example/hooks",
      "https://10.0.0.8/hooks",
      "https://169.254.169.254/latest",
      "https://localhost/hooks",
      "https://hooks.internal/",
      "https://pay.example:22/"
    ]) {
      const named = namesOfFaults({ ...production, [urlName]: url })
      assert.deepStrictEqual(named, [urlName], url)
    }
    assert.deepStrictEqual(namesOfFaults({ ...production, [urlName]: "https://pay.example.com/hooks" }), [])
    const { SURETY_PROFILE: _, ...development } = production
    assert.deepStrictEqual(namesOfFaults({ ...development, [urlName]: "http://127.0.0.1:4000/" }), [])

    const named = { ...production, HOOK_HOSTS: "Hooks.Internal., 10.0.0.8, ::1" }
    for (const url of ["http://hooks.internal:81/", "https://10.0.0.8/hooks", "http://[::1]:4000/"]) {
      assert.deepStrictEqual(namesOfFaults({ ...named, [urlName]: url }), [], url)
    }
    for (const url of ["http://x.hooks.internal/", "https://10.0.0.9/hooks", "http://hooks.internal.evil.example/"]) {
      assert.deepStrictEqual(namesOfFaults({ ...named, [urlName]: url }), [urlName], url)
    }
  })

  it.each(["WALLET", "DIRECTORY"])("want %s_URL and its secret together", (hook) => {
    const [urlName, secretName] = [`${hook}_URL`, `${hook}_SECRET`]
    const url = "https://pay.example/hooks"
    assert.deepStrictEqual(namesOfFaults({ [urlName]: url, [secretName]: `whsec_${key}` }), [])
    assert.deepStrictEqual(namesOfFaults({ [urlName]: url }), [secretName])
    assert.deepStrictEqual(namesOfFaults({ [secretName]: `whsec_${key}` }), [urlName])
    assert.deepStrictEqual(namesOfFaults({ [urlName]: url, [secretName]: "whsec_c2hvcnQ=" }), [secretName])
  })

  it("take hosts without ports or paths, and fields of the platform's own beside a directory", () => {
    for (const hosts of ["http://wallet", "wallet:8080", "wallet/x", "*.internal", "a,,b"]) {
      assert.deepStrictEqual(namesOfFaults({ HOOK_HOSTS: hosts }), ["HOOK_HOSTS"], hosts)
    }
    const directory = { DIRECTORY_URL: "https://pay.example/people", DIRECTORY_SECRET: `whsec_${key}` }
    assert.deepStrictEqual(namesOfFaults({ ...directory, DIRECTORY_FIELDS: "city, date_of_birth" }), [])
    assert.deepStrictEqual(namesOfFaults({ DIRECTORY_FIELDS: "city" }), ["DIRECTORY_URL"])
    for (const fields of ["City", "email", "a b", "city,"]) {
      assert.deepStrictEqual(namesOfFaults({ ...directory, DIRECTORY_FIELDS: fields }), ["DIRECTORY_FIELDS"], fields)
    }
  })

  it("reads the page's looks, and names all that is wrong with them at once", () => {
    const wrong = {
      CONSENT_PAGE_LOGO: "/does/not/exist.svg",
      CONSENT_PAGE_ACCENT: "#ffcc00",
      CONSENT_PAGE_ACCENT_DARK: "#111111",
      CONSENT_PAGE_HOME: "javascript://%0aalert(1)"
    }
    assert.deepStrictEqual(namesOfFaults(wrong), Object.keys(wrong))
    const logo = path.join(import.meta.dirname, "../../../consent-page/package.json")
    assert.deepStrictEqual(namesOfFaults({ CONSENT_PAGE_LOGO: logo }), ["CONSENT_PAGE_LOGO"])
    const right = { CONSENT_PAGE_ACCENT: "#5b21b6", CONSENT_PAGE_HOME: "https://wallet.example/" }
    assert.deepStrictEqual(namesOfFaults(right), [])
  })

  it("want the consent hook's address and secret together, and a hook if a code is demanded", () => {
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

  it("have the rate limits of the contract, and those for addresses in production alone", () => {
    const limitsOf = (environment: Record<string, string>) => {
      const parsed = parseSettings({
        DATABASE_URL: "postgres://surety@db/surety",
        OPERATOR_TOKEN: "op_0123456789abcdef",
        SECRETS_KEY: key,
        ...environment
      })
      return Result.isSuccess(parsed)
        ? rateLimitsOfSettings(parsed.success)
        : assert.fail(describeFaults(parsed.failure))
    }
    assert.deepStrictEqual(limitsOf({}), {
      refunds: { name: "refunds", perSecond: 100, burst: 200 },
      other: { name: "other", perSecond: 500, burst: 1000 },
      provisioning: undefined
    })
    assert.deepStrictEqual(limitsOf({ SURETY_PROFILE: "production" }).provisioning, {
      name: "provisioning",
      perSecond: 1,
      burst: 60
    })
    assert.strictEqual(limitsOf({ RATE_LIMIT_REFUNDS: "300" }).refunds?.burst, 300)
    assert.deepStrictEqual(limitsOf({ RATE_LIMIT_REFUNDS: "0", RATE_LIMIT_OTHER: "0", RATE_LIMIT_PROVISIONING: "0" }), {
      refunds: undefined,
      other: undefined,
      provisioning: undefined
    })
  })

  it("want all of an identity provider together, by https in production, and roles that exist", () => {
    const oidc = {
      CONSOLE_OIDC_ISSUER: "http://sso.example",
      CONSOLE_OIDC_CLIENT_ID: "console",
      CONSOLE_OIDC_CLIENT_SECRET: "a-secret-of-the-console",
      CONSOLE_OIDC_ROLES: "payments team=money, help-desk=support"
    }
    assert.deepStrictEqual(namesOfFaults(oidc), [])
    const parsed = parseSettings(oidc)
    assert.deepStrictEqual(Result.isSuccess(parsed) ? parsed.success.consoleOidcRoles : undefined, {
      "payments team": "money",
      "help-desk": "support"
    })
    assert.deepStrictEqual(namesOfFaults({ CONSOLE_OIDC_ISSUER: "https://sso.example" }), [
      "CONSOLE_OIDC_CLIENT_ID",
      "CONSOLE_OIDC_CLIENT_SECRET",
      "CONSOLE_OIDC_ROLES"
    ])
    const { CONSOLE_OIDC_ISSUER: _, ...withoutIssuer } = oidc
    assert.deepStrictEqual(namesOfFaults(withoutIssuer), ["CONSOLE_OIDC_ISSUER"])
    assert.include(namesOfFaults({ ...oidc, SURETY_PROFILE: "production" }), "CONSOLE_OIDC_ISSUER")
    for (const roles of ["payments-team=root", "=money", "money", "a=money,,b=admin", "a=money, a=admin"]) {
      assert.deepStrictEqual(namesOfFaults({ ...oidc, CONSOLE_OIDC_ROLES: roles }), ["CONSOLE_OIDC_ROLES"], roles)
    }
    assert.deepStrictEqual(
      namesOfFaults({ CONSOLE_TIME_ZONE: "Lagos", CONSOLE_OIDC_SCOPE: "profile", CONSOLE: "yes" }),
      ["CONSOLE", "CONSOLE_TIME_ZONE", "CONSOLE_OIDC_SCOPE"]
    )
  })

  it("trust proxies by address and by network, of both families", () => {
    const parsed = parseSettings({ TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.1, 2001:db8::/32, ::1" })
    const trusts = (address: string) =>
      Result.isSuccess(parsed) &&
      parsed.success.trustedProxies.some((network) =>
        IpNetwork.contains(network, NetAddress.ipFromStringUnsafe(address))
      )
    for (const address of ["10.1.2.3", "192.0.2.1", "2001:db8:ffff::1", "::1"]) assert.isTrue(trusts(address), address)
    for (const address of ["11.0.0.1", "192.0.2.2", "2001:db9::1", "::2"]) assert.isFalse(trusts(address), address)
    // A server that listens on :: sees, and logs, a proxy's IPv4 address in IPv6 form.
    for (const mapped of ["::ffff:10.0.0.5", "::ffff:10.0.0.0/104"]) {
      const read = Result.getOrThrow(parseSettings({ TRUSTED_PROXIES: mapped }))
      const seen = NetAddress.toCanonical(NetAddress.ipFromStringUnsafe("::ffff:10.0.0.5"))
      assert.isTrue(
        read.trustedProxies.some((network) => IpNetwork.contains(network, seen)),
        mapped
      )
    }
    for (const all of ["0.0.0.0/0", "10.0.0.1,::/0", "::ffff:0:0/96"]) {
      assert.deepStrictEqual(namesOfFaults({ TRUSTED_PROXIES: all }), ["TRUSTED_PROXIES"], all)
    }
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
