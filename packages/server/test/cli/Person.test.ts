import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Redacted } from "effect"
import { runHere } from "../support/CommandHere.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { shellLines, wordsOf } from "./pageCommands.js"

/** Timeout in milliseconds. The test runs many commands, and the machine may be busy. */
const patience = 240_000

it.live(
  "every command of the page on data protection works, one after the other",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const env = {
        DATABASE_URL: Redacted.value(url),
        SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
        OPERATOR_TOKEN: "operator-token-for-the-shell",
        LOG_LEVEL: "warning"
      }
      const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
        const { code, stderr, stdout } = yield* Effect.promise(() => runHere(args, env))
        assert.strictEqual(code, 0, `${args.join(" ")}\n${stderr}`)
        return stdout
      })
      const person = JSON.parse(yield* run(["operator", "create-consumer", "--display-name", "Ada Obi"]))
      const asked = ["person", "record-rights-request", "--service-id", person.serviceId, "--kind", "EXPORT"]
      const request = JSON.parse(yield* run(asked))
      const answers: Record<string, string> = {}
      const commands = shellLines("data-protection.md", {
        "SR1-K7QM-WX4T-A": person.serviceId,
        rights_01k7wqac2bf4h6k8m1p3r5t7v9: request.id
      }).map(wordsOf)
      assert.isAbove(commands.length, 8)
      for (const [program = "", ...args] of commands) {
        assert.strictEqual(program, "surety")
        answers[args.slice(0, 2).join(" ")] = yield* run(args)
      }
      assert.include(answers["person export"] ?? "", '"displayName": "Ada Obi"')
      assert.include(answers["person export-page"] ?? "", "<!doctype html>")
      assert.include(answers["person rectify"] ?? "", '"displayName": "Adaeze Obi"')
      assert.include(answers["person erase"] ?? "", '"erasedAt"')
      assert.deepStrictEqual(JSON.parse(answers["breach report"] ?? ""), { people: 0, reads: [] })
      assert.match(answers["retention --dry-run"] ?? "", /reads: would take 0 from before /)
      assert.include(answers.verify ?? "", "Everything adds up.")
    }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
  patience
)
