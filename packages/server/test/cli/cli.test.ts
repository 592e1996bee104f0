import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted, type Scope } from "effect"
import { Client } from "pg"
import { operations } from "../../src/cli/operation/Operation.js"
import { runHere } from "../support/CommandHere.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { receiver } from "../support/Receiver.js"
import { runSurety, serverProcess } from "../support/ServerProcess.js"
import { application, environment, operatorToken, patience, shell } from "./Shell.js"

type Test<E> = Effect.Effect<void, E, TestDatabase | Scope.Scope>

const inEmptyDatabase = <E>(name: string, test: Test<E>, timeoutMillis?: number) =>
  it.live(name, () => test.pipe(Effect.provide(RunDatabase.layer), Effect.scoped), timeoutMillis)

const live = <E>(name: string, test: Test<E>, timeoutMillis?: number) =>
  it.live(name, () => test.pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped), timeoutMillis)

describe("The surety command", () => {
  it(
    "has a command for every route of the operator and of provisioning",
    async () => {
      const commands = {
        operator: "operator",
        operatorConsumers: "operator",
        operatorMoney: "operator",
        operatorApprovals: "operator",
        operatorActions: "operator",
        operatorConsent: "operator",
        operatorEvents: "operator",
        merchants: "merchant",
        webhooks: "webhook",
        people: "person"
      }
      const known = operations().filter(({ path }) => !path.startsWith("/v1/"))
      assert.isAbove(known.length, 20)
      const helps = new Map<string, string>()
      for (const command of new Set(Object.values(commands))) {
        helps.set(command, (await runHere([command, "--help"], {})).stdout)
      }
      for (const [group, command] of Object.entries(commands)) {
        const stdout = helps.get(command) ?? ""
        for (const { name } of known.filter((operation) => operation.group === group)) {
          assert.match(stdout, new RegExp(`^ +${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} `, "m"))
        }
      }
      assert.deepStrictEqual(
        known.filter(({ group }) => !(group in commands)),
        []
      )
    },
    patience
  )

  inEmptyDatabase(
    "takes a merchant from its application to a settled payment",
    Effect.gen(function* () {
      const { answer, run } = yield* shell()
      const merchant = yield* answer("merchant", "create", ...application)
      assert.deepInclude(merchant, { status: "PENDING_REVIEW", country: "NG" })
      const active = yield* answer(
        "operator",
        "change-status",
        merchant.id,
        "--status",
        "ACTIVE",
        "--reason",
        "checked"
      )
      assert.strictEqual(active.status, "ACTIVE")
      const person = yield* answer("operator", "create-consumer", "--display-name", "Ada", "--no-phone-verified")
      assert.deepInclude(person, { environment: "LIVE", displayName: "Ada", phoneVerified: false })
      const sale = ["--merchant-id", merchant.id, "--service-id", person.serviceId, "--amount", "2500.50"]
      const payment = yield* answer("operator", "create-payment", ...sale)
      assert.deepInclude(payment, { amount: 2500.5, status: "SETTLED" })
      const listed = yield* answer("operator", "list-payments", "--limit", "1")
      assert.deepStrictEqual(listed.data, [payment])
      const env = yield* environment
      const balance = yield* Effect.promise(() => runSurety(["operator", "trial-balance"], env))
      assert.isTrue(JSON.parse(balance.stdout).balanced, balance.stderr)
      const key = yield* answer("merchant", "create-api-key", merchant.id, "--environment", "LIVE")
      assert.match(key.secret, /^sk_live_/)
      assert.isUndefined(yield* answer("merchant", "revoke-api-key", merchant.id, key.id))
      const out = ["--kind", "PAYOUT", "--merchant-id", merchant.id, "--amount", "500", "--reason", "weekly"]
      const payout = yield* answer("operator", "post-transfer", ...out, "--idempotency-key", "week-1")
      assert.deepInclude(payout, { kind: "PAYOUT", amount: 500, environment: "LIVE" })
      const actions = yield* answer("operator", "list-actions", "--merchant-id", merchant.id)
      assert.deepStrictEqual(
        actions.data.map(({ actor, kind }: { actor: string; kind: string }) => `${actor} ${kind}`),
        [
          "operator transfer.posted",
          "operator api_key.revoked",
          "operator api_key.created",
          "operator payment.recorded",
          "operator merchant.status_changed",
          "operator merchant.created"
        ]
      )
      assert.strictEqual((yield* run("verify")).code, 0)
    }),
    patience
  )

  inEmptyDatabase(
    "prints the pending migrations for those who run them by hand, and changes nothing",
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const env = { ...(yield* environment), DATABASE_URL: Redacted.value(url) }
      const print = Effect.promise(() => runHere(["migrate", "--print"], env))
      const before = yield* Effect.promise(() => runSurety(["migrate", "--print"], env))
      assert.deepStrictEqual([before.code, before.stderr], [0, ""])
      assert.deepStrictEqual(yield* print, before)
      const client = new Client({ connectionString: Redacted.value(url) })
      yield* Effect.promise(async () => {
        await client.connect()
        await client.query(before.stdout)
        await client.end()
      })
      assert.strictEqual((yield* print).stdout, "-- No migration is pending.\n")
      const again = yield* Effect.promise(() => runHere(["migrate"], env))
      assert.strictEqual(
        again.stdout,
        "The schema of the database that DATABASE_URL names is up to date.\n",
        again.stderr
      )
      const nowhere = { DATABASE_URL: "postgres://nobody:hunter2@127.0.0.1:1/none" }
      const { code, stderr } = yield* Effect.promise(() => runHere(["migrate", "--print"], nowhere))
      assert.strictEqual(code, 1)
      assert.match(stderr, /^Surety cannot use the database none at 127\.0\.0\.1:1 as nobody: .*Check DATABASE_URL\.$/m)
      assert.notInclude(stderr, "hunter2")
    }),
    patience
  )

  live(
    "says in a sentence that the database's user lacks rights",
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const env = { ...(yield* environment), DATABASE_URL: Redacted.value(url) }
      assert.strictEqual((yield* Effect.promise(() => runHere(["migrate"], env))).code, 0)
      const user = `reader_${randomBytes(4).toString("hex")}`
      const client = new Client({ connectionString: Redacted.value(url) })
      yield* Effect.promise(async () => {
        await client.connect()
        await client.query(`create role ${user} login password 'reader'`)
      })
      const theirs = new URL(Redacted.value(url))
      theirs.username = user
      theirs.password = "reader"
      for (const [command, run] of [
        ["verify", runHere],
        ["serve", runSurety]
      ] as const) {
        const { code, stderr } = yield* Effect.promise(() => run([command], { ...env, DATABASE_URL: theirs.href }))
        assert.strictEqual(code, 1)
        assert.match(
          stderr,
          /^Surety cannot use the database .*: permission denied for schema surety\. Run surety migrate --serve-as with the name of this user, /m
        )
        assert.notInclude(stderr, "    at ")
      }
      yield* Effect.promise(async () => {
        await client.query(`drop role ${user}`)
        await client.end()
      })
    }),
    patience
  )

  live(
    "says what is wrong with each value, and exits with 1",
    Effect.gen(function* () {
      const { run } = yield* shell()
      const { code, stderr, stdout } = yield* run("merchant", "create", ...application, "--website-url", "shop")
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.strictEqual(stderr.trim(), "websiteUrl: Expected an absolute http or https url.")
      const unknown = yield* run("operator", "change-status", "merchant_7", "--status", "ACTIVE")
      assert.deepStrictEqual([unknown.code, unknown.stdout], [1, ""])
      assert.notInclude(unknown.stderr, "    at ")
      const nobody = yield* run("merchant", "get", "merchant_nope")
      assert.strictEqual(
        nobody.stderr,
        "Merchant not found. Check the merchant's id. (merchant_not_found)\n",
        "what is refused, what to do, and the code"
      )
    }),
    patience
  )

  live(
    "gives a grant, shows its receipt, takes it back, and unlinks its person",
    Effect.gen(function* () {
      const server = yield* serverProcess(yield* environment)
      const { answer } = yield* shell("--server", server.url)
      const merchant = yield* answer("merchant", "create", ...application)
      const { serviceId } = yield* answer("operator", "create-consumer", "--display-name", "Ada")
      yield* answer("operator", "link", merchant.id, "--service-id", serviceId)
      const whose = ["--merchant-id", merchant.id, "--service-id", serviceId]
      const fields = ["--fields", "email", "--fields", "country"]
      const grant = yield* answer("operator", "grant", ...whose, ...fields, "--actor", "branch-12")
      assert.deepInclude(grant, { status: "ACTIVE", fields: ["email", "country"], origin: "OPERATOR" })
      const revoked = yield* answer("operator", "revoke-grant", grant.id, "--reason", "Asked by telephone")
      assert.deepInclude(revoked, { id: grant.id, status: "REVOKED", revocationReason: "Asked by telephone" })
      const receipts = yield* answer("operator", "list-receipts", merchant.id)
      assert.deepStrictEqual(
        receipts.data.map(({ sequence }: { readonly sequence: number }) => sequence),
        [2, 1]
      )
      assert.isUndefined(yield* answer("operator", "unlink", merchant.id, serviceId))
      assert.deepStrictEqual((yield* answer("operator", "list-links", merchant.id)).data, [])
    }),
    patience
  )

  live(
    "calls a running server if asked to, with the operator's token",
    Effect.gen(function* () {
      const shop = yield* receiver
      const server = yield* serverProcess(yield* environment)
      const elsewhere = yield* environment
      const at = ["--server", server.url]
      // `DATABASE_URL` points to no database, so a command succeeds only if it calls the server.
      const env = { ...elsewhere, DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }
      const run = (...args: ReadonlyArray<string>) => Effect.promise(() => runHere([...args, ...at], env))
      const merchant = JSON.parse((yield* run("merchant", "create", ...application)).stdout)
      const registering = ["webhook", "register", merchant.id, "--url", shop.url, "--topics", "refund.completed"]
      const registered = yield* Effect.promise(() => runSurety([...registering, ...at], env))
      const endpoint = JSON.parse(registered.stdout)
      assert.deepStrictEqual(endpoint.topics, ["refund.completed"])
      const live = ["key", "create", "--environment", "LIVE", merchant.id]
      assert.match((yield* run(...live)).stderr, /\(merchant_not_active\)$/m)
      const activated = yield* run("merchant", "activate", merchant.id, "--reason", "checked")
      assert.deepStrictEqual([activated.code, activated.stdout], [0, `${merchant.id} is ACTIVE.\n`])
      assert.match((yield* run("merchant", "activate", merchant.id)).stderr, /\(status_change_not_allowed\)$/m)
      assert.match((yield* run(...live)).stdout, /^sk_live_\w+\n$/)
      assert.strictEqual((yield* run("merchant", "suspend", merchant.id)).stdout, `${merchant.id} is SUSPENDED.\n`)
      const gone = yield* Effect.promise(() =>
        runHere(["merchant", "get", merchant.id, "--server", "http://127.0.0.1:1"], env)
      )
      const refusalOf = (address: string, token: string) =>
        Effect.map(
          Effect.promise(() =>
            runHere(["operator", "trial-balance", "--server", address], { ...env, OPERATOR_TOKEN: token })
          ),
          ({ stderr }) => stderr.trim()
        )
      assert.strictEqual(
        yield* refusalOf(server.url, `${operatorToken}-of-another`),
        "The operator's token is not valid. Send the token of this deployment. (invalid_operator_token)"
      )
      assert.match(
        yield* refusalOf(`${server.url}/elsewhere`, operatorToken),
        /^Route not found\. .* If the server has a BASE_PATH, --server must end with it\. \(route_not_found\)$/
      )
      assert.strictEqual(gone.code, 1)
      assert.strictEqual(gone.stderr.trim(), "No server responds at http://127.0.0.1:1. Is it running there?")
    }),
    patience
  )
})
