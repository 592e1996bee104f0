import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { requestBodyOf } from "../../src/cli/operation/fieldInput.js"
import { operations } from "../../src/cli/operation/Operation.js"
import { parseSettings } from "../../src/settings/parseSettings.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { shellLines, wordsOf } from "./pageCommands.js"
import { application, patience, shell } from "./Shell.js"

describe("The page on operators", () => {
  it.live(
    "has commands that work, one after the other",
    () =>
      Effect.gen(function* () {
        const { answer } = yield* shell()
        const { id } = yield* answer("merchant", "create", ...application)
        yield* answer("operator", "change-status", id, "--status", "ACTIVE", "--reason", "checked")
        const named = ["--display-name", "Ada Obi", "--email", "ada@mail.example"]
        const { serviceId } = yield* answer("operator", "create-consumer", ...named)
        const sale = ["--merchant-id", id, "--service-id", serviceId, "--amount", "2500.50"]
        yield* answer("operator", "create-payment", ...sale)
        const lines = shellLines("operator.md", {
          merchant_01k7wq8qtketebz8k3p3985n5t: id,
          "SR1-K7QM-WX4T-A": serviceId
        })
        const printed: Record<string, unknown> = {}
        const commands = lines.filter((line) => line.startsWith("surety "))
        assert.isAtLeast(commands.length, 6)
        for (const [, ...args] of commands.map(wordsOf)) printed[args[1] ?? ""] = yield* answer(...args)
        assert.lengthOf(Object(printed["list-consumers"]).data, 1)
        assert.deepInclude(printed["change-consumer"], { displayName: "Ada Eze" })
        assert.deepInclude(printed["post-transfer"], { kind: "PAYOUT", amount: 1000.5 })
        assert.deepStrictEqual(Object(printed["list-proposals"]).data, [])
        const renamed = yield* answer(
          "operator",
          "change-consumer",
          serviceId,
          "--external-id",
          "crm-7",
          "--reason",
          "known"
        )
        assert.deepInclude(renamed, { externalId: "crm-7" })
        const removed = yield* answer("person", "rectify", serviceId, "--external-id", "null", "--reason", "unknown")
        assert.notProperty(removed, "externalId")
        const key = ["--idempotency-key", "proposal-1"]
        const adjustment = ["--kind", "ADJUSTMENT", "--amount", "100", "--merchant-id", id, "--reason", "by mistake"]
        const proposed = yield* answer("operator", "propose", ...adjustment, ...key)
        assert.deepInclude(proposed, { kind: "ADJUSTMENT", status: "OPEN" })
        assert.strictEqual((yield* answer("operator", "propose", ...adjustment, ...key)).id, proposed.id)
      }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
    patience
  )

  it("has commands for what is neither a string nor a number: null, true, an empty list, and a key", () => {
    const bodyOf = (group: string, name: string, typed: Readonly<Record<string, string | ReadonlyArray<string>>>) => {
      const { fields } =
        operations().find((operation) => operation.group === group && operation.name === name) ?? assert.fail(name)
      return requestBodyOf(fields.map((field) => [field, typed[field.name]]))
    }
    for (const name of ["displayName", "country", "email", "externalId"]) {
      assert.strictEqual(bodyOf("people", "rectify", { [name]: "null" }), `{"${name}":null}`)
      assert.strictEqual(bodyOf("operatorConsumers", "changeConsumer", { [name]: "null" }), `{"${name}":null}`)
    }
    assert.strictEqual(bodyOf("people", "rectify", { reason: "null" }), `{"reason":"null"}`)
    assert.strictEqual(bodyOf("operator", "changeSettings", { purpose: "null" }), `{"purpose":null}`)
    assert.strictEqual(bodyOf("operator", "changeSettings", { returnUrls: ["[]"] }), `{"returnUrls":[]}`)
    assert.strictEqual(bodyOf("webhooks", "update", { recover: "true" }), `{"recover":true}`)
    assert.strictEqual(bodyOf("webhooks", "update", { maxPerSecond: "5" }), `{"maxPerSecond":5}`)
    assert.strictEqual(bodyOf("webhooks", "update", { maxPerSecond: "null" }), `{"maxPerSecond":null}`)
    const at = "2026-03-01T09:30:00Z"
    assert.strictEqual(bodyOf("webhooks", "update", { recover: at }), `{"recover":"${at}"}`)
  })

  it("makes tokens that the settings accept", () => {
    const [token = "", hash = "", setting = "", ...others] = shellLines("operator.md").filter(
      (line) => !line.startsWith("surety ")
    )
    assert.deepStrictEqual(others, [])
    const printed = execFileSync("bash", ["-c", `${token}\n${hash}`], { encoding: "utf8" })
    const [sha256 = ""] = printed.split(" ")
    const tokens = /^export OPERATOR_TOKENS="(.*)"$/.exec(setting)?.[1] ?? assert.fail(setting)
    const twice = tokens.replace("<the hash>", sha256).replace("<the hash>", "0".repeat(64))
    assert.isTrue(Result.isSuccess(parseSettings({ OPERATOR_TOKENS: twice })))
  })
})

it("The page on KYC has routes that the settings accept, with the settings of their vendors", () => {
  const [line = "", ...others] = shellLines("kyc.md")
  assert.deepStrictEqual(others, [])
  const routes = /^KYC_ROUTES='(.*)'$/.exec(line)?.[1] ?? assert.fail(line)
  const parsed = parseSettings({ KYC_ROUTES: routes })
  const faults = Result.isFailure(parsed) ? parsed.failure.map(({ name }) => name) : []
  assert.isNotEmpty(faults, "the vendors have no settings yet")
  for (const fault of faults) assert.match(fault, /^KYC_(QOREID|KORA|YOUVERIFY)_/)
})
