import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { shellLines, wordsOf } from "./pageCommands.js"
import { patience, shell } from "./Shell.js"

it.live(
  "every command of the page on data protection works, one after the other",
  () =>
    Effect.gen(function* () {
      const { answer, printed } = yield* shell()
      const person = yield* answer("operator", "create-consumer", "--display-name", "Ada Obi")
      const asked = ["person", "record-rights-request", "--service-id", person.serviceId, "--kind", "EXPORT"]
      const request = yield* answer(...asked)
      const answers: Record<string, string> = {}
      const commands = shellLines("data-protection.md", {
        "SR1-K7QM-WX4T-A": person.serviceId,
        rights_01k7wqac2bf4h6k8m1p3r5t7v9: request.id
      }).map(wordsOf)
      assert.isAbove(commands.length, 8)
      for (const [program = "", ...args] of commands) {
        assert.strictEqual(program, "surety")
        answers[args.slice(0, 2).join(" ")] = yield* printed(...args)
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
