import { readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Context, Effect, Layer, Redacted } from "effect"
import { placeEmbeddedDatabase } from "../../postgres/test/EmbeddedDirectory.js"
import { runHere } from "./support/CommandHere.js"
import { dataDirectory, paste, pasteCommand, printedBy } from "./support/newcomer.js"
import { runSurety, type ServerProcess, serverProcess, withDocs } from "./support/ServerProcess.js"

/** Timeout in milliseconds. Starting the embedded database takes seconds, and some tests do so several times. */
const patience = 300_000

const whoami = ({ url }: ServerProcess, key: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${key}` } })
    return response.json()
  })

const root = path.join(import.meta.dirname, "../../..")

const settings = (directory: string) => ({ ...withDocs, DATA_DIR: directory, LOG_LEVEL: "warning" })

/** A server with `PUBLIC_URL` set, over an embedded database. */
class Known extends Context.Service<
  Known,
  { readonly url: string; readonly pid: number; readonly directory: string; readonly told: string }
>()("test/Known") {}

const layerKnown = Layer.effect(
  Known,
  Effect.gen(function* () {
    const directory = yield* dataDirectory
    yield* Effect.promise(() => placeEmbeddedDatabase(path.join(directory, "database")))
    const env = { ...settings(directory), PUBLIC_URL: "https://pay.example/api", DOCS: "off" }
    const { pid, stdout, url } = yield* serverProcess(env)
    return { url, pid, directory, told: stdout() }
  })
)

/** Runs an operator's commands on the embedded database while no server has it open. */
const decideAndVerify = Effect.fnUntraced(function* (directory: string, merchantId: string) {
  const surety = (...args: ReadonlyArray<string>) => Effect.promise(() => runSurety(args, settings(directory)))
  assert.include((yield* surety("merchant", "activate", merchantId)).stdout, "ACTIVE")
  const key = yield* surety("key", "create", "--environment", "LIVE", merchantId)
  assert.match(key.stdout.trim(), /^sk_live_/)
  const verified = yield* surety("verify")
  assert.deepInclude(verified, { code: 0 })
  assert.include(verified.stdout, "TEST NGN debits 6001.00 credits 6001.00\n")
  const refused = yield* surety("merchant", "reject", merchantId)
  assert.strictEqual(refused.code, 1)
  assert.include(refused.stderr, "SUSPENDED or CLOSED")
})

describe("The first start in development", () => {
  it.live(
    "prints three curl lines that work as pasted, and the key once; later starts tell how another is made; then " +
      "commands decide on merchants, make keys and verify the books",
    () =>
      Effect.gen(function* () {
        const directory = yield* dataDirectory
        const first = yield* serverProcess({ ...settings(directory), OPERATOR_TOKEN: "" })
        const lines = first.stdout().split("\n")
        assert.match(lines[0] ?? "", /^Creating the embedded database in /)
        const curls = lines.filter((line) => line.startsWith("curl "))
        assert.strictEqual(curls.length, 3)
        assert.match(
          lines.filter((line) => line !== "").at(-1) ?? "",
          /^surety listening on http:\/\/127\.0\.0\.1:\d+$/
        )

        const [register = "", refund = "", tooMuch = ""] = curls
        assert.match((yield* paste(register)).secret, /^whsec_/)
        // The receiver's own first line, and each page that registers it, name the same url.
        const receiver = "http://127.0.0.1:4000/webhooks"
        const pages = ["README.md", "examples/webhook-receiver/README.md", "examples/merchant-integration/README.md"]
        for (const page of [register, ...pages.map((page) => readFileSync(path.join(root, page), "utf8"))]) {
          assert.deepStrictEqual(
            page.match(/"url":"[^"]+"/gu)?.filter((url) => url !== `"url":"${receiver}"`),
            []
          )
        }
        assert.include(first.stdout(), "\n2. Start a receiver with that secret")
        assert.match(first.stdout(), /Try it in a second terminal:\n\n1\. /u)
        assert.match(first.stdout(), /\n3\. In a third terminal, refund /u)
        assert.deepInclude(yield* paste(refund), { status: "COMPLETED", amount: 1000, currency: "NGN" })
        assert.deepInclude(yield* paste(tooMuch), {
          code: "amount_exceeds_refundable",
          original: 2500.5,
          refunded: 1000,
          refundable: 1500.5
        })

        const key = /sk_test_\w+/.exec(first.stdout())?.[0] ?? ""
        assert.notInclude(first.stderr(), key)
        assert.strictEqual(yield* Effect.promise(() => first.stop()), 0)

        assert.include(first.stdout(), `The API is documented at ${first.url}/docs\n`)
        const [, page = "", token = ""] =
          /^The operator console is at (\S+): sign in as operator, with the token in (.+)$/m.exec(first.stdout()) ?? []
        assert.strictEqual(page, `${first.url}/console`)
        assert.match(readFileSync(token, "utf8"), /^op_\S{32}\n$/)
        const second = yield* serverProcess({ ...settings(directory), BASE_PATH: "/pay", OPERATOR_TOKEN: "" })
        assert.match(second.url, /^http:\/\/127\.0\.0\.1:\d+\/pay$/)
        assert.notInclude(second.stdout(), "sk_test_")
        assert.notInclude(second.stdout(), "Creating")
        assert.deepInclude(yield* whoami(second, key), {
          name: "Sandbox Shop",
          environment: "TEST",
          sandboxAccess: true,
          liveAccess: false
        })
        const docs = /documented at (\S+)$/m.exec(second.stdout())?.[1] ?? ""
        assert.strictEqual((yield* Effect.promise(() => fetch(docs))).status, 200)
        const command = /^.*npx pnpm start merchant .+$/m.exec(second.stdout())?.[0] ?? ""
        const { secret } = yield* pasteCommand(command)
        assert.deepInclude(yield* whoami(second, secret), { name: "Sandbox Shop", environment: "TEST" })
        assert.strictEqual(yield* Effect.promise(() => second.stop()), 0)
        yield* decideAndVerify(directory, /merchant_[0-9a-z]{26}/.exec(first.stdout())?.[0] ?? "")
      }).pipe(Effect.scoped),
    patience
  )

  it.live(
    "prints lines that work as pasted while it listens on all addresses, where the operator's token is needed",
    () =>
      Effect.gen(function* () {
        const directory = yield* dataDirectory
        const everywhere = { ...settings(directory), HOST: "0.0.0.0", OPERATOR_TOKEN: "", DOCS: "off" }
        const first = yield* serverProcess(everywhere)
        const [register = "", refund = ""] = first.stdout().match(/^curl .+$/gm) ?? []
        assert.match((yield* paste(register)).secret, /^whsec_/)
        assert.deepInclude(yield* paste(refund), { status: "COMPLETED" })
        assert.strictEqual(yield* Effect.promise(() => first.stop()), 0)
        const second = yield* serverProcess(everywhere)
        const command = /^.*npx pnpm start merchant .+$/m.exec(second.stdout())?.[0] ?? ""
        assert.match((yield* pasteCommand(command)).secret, /^sk_test_/)
      }).pipe(Effect.scoped),
    patience
  )

  it.live(
    "prints no line that PROVISIONING=off refuses, and quotes an address with brackets",
    () =>
      Effect.gen(function* () {
        const directory = yield* dataDirectory
        const closed = { ...settings(directory), HOST: "::", PROVISIONING: "off", OPERATOR_TOKEN: "", DOCS: "off" }
        const first = yield* serverProcess(closed)
        const [refund = "", ...more] = first.stdout().match(/^curl .+$/gm) ?? []
        assert.lengthOf(more, 1)
        assert.match(refund, /^curl -X POST 'http:\/\/\[::1\]:\d+\/v1\/refunds' /)
        assert.deepInclude(yield* paste(refund), { status: "COMPLETED" })
        assert.strictEqual(yield* Effect.promise(() => first.stop()), 0)
        const second = yield* serverProcess(closed)
        const command = /^.*npx pnpm start .+$/m.exec(second.stdout())?.[0] ?? ""
        assert.strictEqual(yield* Effect.promise(() => second.stop()), 0)
        assert.match(yield* printedBy(command), /^sk_test_\w+\n$/)
      }).pipe(Effect.scoped),
    patience
  )
})

it.layer(layerKnown, { timeout: patience, excludeTestServices: true })("A server in development", (it) => {
  it.effect(
    "lets no web page make merchants that has its own name lead here",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Known
        const { port } = new URL(url)
        const statusAt = (host: string) =>
          Effect.map(
            paste(`curl -X POST ${url}/merchants -H 'Host: ${host}' -H 'Content-Type: application/json' -d '{}'`),
            ({ code, status }) => [host, status, code]
          )
        for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, "pay.example"]) {
          assert.deepStrictEqual(yield* statusAt(host), [host, 400, "validation_failed"])
        }
        const foreign = `rebound.example:${port}`
        assert.deepStrictEqual(yield* statusAt(foreign), [foreign, 403, "host_not_allowed"])
      }),
    patience
  )

  it.effect("lets no merchant use the name that its pages show", () =>
    Effect.gen(function* () {
      const { url } = yield* Known
      const { errors } = yield* paste(
        `curl ${url}/merchants -H 'Content-Type: application/json' -d '{"name":"pay.example"}'`
      )
      assert.deepInclude(
        errors.map(({ code, pointer }: Readonly<Record<string, unknown>>) => ({ code, pointer })),
        { code: "name_not_allowed", pointer: "#/name" }
      )
    })
  )

  it.effect("mentions no description of the interface if none is served", () =>
    Effect.map(Known, ({ told }) => assert.notInclude(told, "/docs"))
  )

  it.effect(
    "keeps a second process away from the embedded database and says so",
    () =>
      Effect.gen(function* () {
        const { directory, pid } = yield* Known
        const second = yield* Effect.promise(() => runSurety(["serve"], { ...settings(directory), PORT: "0" }))
        assert.strictEqual(second.code, 1)
        assert.include(second.stderr, path.join(directory, "database"))
        const verified = yield* Effect.promise(() => runHere(["verify"], settings(directory)))
        assert.strictEqual(verified.code, 1)
        assert.include(verified.stderr, `is in use by process ${pid}. Stop it first. `)
        assert.include(
          verified.stderr,
          "If it is a running server, commands that take --server work with it: add --server and the server's address."
        )
      }),
    patience
  )
})

describe("A start with wrong settings", () => {
  it.live("ends at once and names them all", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* Effect.promise(() =>
        runSurety(["serve"], { SURETY_PROFILE: "production", PORT: "http" })
      )
      assert.strictEqual(code, 1)
      for (const name of ["PORT", "DATABASE_URL", "OPERATOR_TOKEN", "SECRETS_KEY"]) assert.include(stderr, name)
    })
  )
})

describe("A start in production", () => {
  it.live(
    "warns if links would lead to the address that it listens on",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const production = {
          SURETY_PROFILE: "production",
          DATABASE_URL: Redacted.value(url),
          DATABASE_CONNECTIONS: "4",
          OPERATOR_TOKEN: "op_0123456789abcdef",
          SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
        }
        const unnamed = yield* serverProcess(production, { asOwner: "a first start makes the tables" })
        assert.strictEqual(yield* Effect.promise(() => unnamed.stop()), 0)
        assert.include(unnamed.stderr(), `PUBLIC_URL is not set: links for people begin with ${unnamed.url}`)
        const named = yield* serverProcess(
          { ...production, PUBLIC_URL: "https://pay.example" },
          { asOwner: "a first start makes the tables" }
        )
        assert.strictEqual(yield* Effect.promise(() => named.stop()), 0)
        assert.notInclude(named.stderr(), "PUBLIC_URL")
      }).pipe(Effect.scoped, Effect.provide(RunDatabase.layer)),
    patience
  )
})

describe("A start without a place for its data", () => {
  const keys = { OPERATOR_TOKEN: "op_0123456789abcdef", SECRETS_KEY: Buffer.alloc(32, 7).toString("base64") }

  it.live.each([
    { kept: "its keys", environment: {} },
    { kept: "its database", environment: keys }
  ])("ends and names DATA_DIR when it cannot keep $kept", ({ environment }) =>
    Effect.gen(function* () {
      const directory = yield* dataDirectory
      const file = path.join(directory, "taken")
      writeFileSync(file, "a file, where a directory should be")
      // Nothing can be created below /proc, where Node's recursive `mkdir` would loop forever.
      for (const dataDir of [path.join(file, "below"), "/proc/surety"]) {
        const { code, stderr } = yield* Effect.promise(() =>
          runSurety(["serve"], { DATA_DIR: dataDir, PORT: "0", ...environment })
        )
        assert.strictEqual(code, 1)
        assert.include(stderr, `DATA_DIR, ${dataDir}`)
        assert.include(stderr, "a directory that this user may write to")
      }
    }).pipe(Effect.scoped)
  )
})

describe("A start with a damaged key", () => {
  it.live("ends and names the key's file, not the directory's rights", () =>
    Effect.gen(function* () {
      const directory = yield* dataDirectory
      const file = path.join(directory, "secrets-key")
      writeFileSync(file, "cut off")
      const { code, stderr } = yield* Effect.promise(() =>
        runSurety(["serve"], { DATA_DIR: directory, PORT: "0", OPERATOR_TOKEN: "op_0123456789abcdef" })
      )
      assert.strictEqual(code, 1)
      assert.include(stderr, `${file} does not hold 32 bytes in base64. Restore it`)
      assert.notInclude(stderr, "write to")
    }).pipe(Effect.scoped)
  )
})

describe("The surety command", () => {
  it.live("lists every command and setting", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* Effect.promise(() => runHere(["--help"], {}))
      assert.strictEqual(code, 0)
      for (const word of ["serve", "migrate", "verify", "merchant", "key", "SURETY_PROFILE", "SECRETS_KEY"]) {
        assert.include(stdout, word)
      }
    })
  )
})
