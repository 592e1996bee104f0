import { assert, it } from "@effect/vitest"
import { Exit } from "effect"
import { exitCode } from "../../src/cli/program.js"

it("counts an interruption as success for the command serve alone, not for a value of that name", () => {
  for (const args of [["serve"], ["--log-level", "debug", "serve"]]) {
    assert.strictEqual(exitCode(Exit.interrupt(), args), 0, args.join(" "))
  }
  for (const args of [
    ["archive", "verify", "serve"],
    ["verify", "--cell", "serve"]
  ]) {
    assert.strictEqual(exitCode(Exit.interrupt(), args), 130, args.join(" "))
  }
})
