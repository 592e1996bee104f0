import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { serverAddress } from "../../src/cli/operation/serverAddress.js"
import { shown, shownLines } from "../../src/cli/operation/shown.js"
import { runHere } from "../support/CommandHere.js"
import { runSurety } from "../support/ServerProcess.js"
import { operatorToken } from "./Shell.js"

describe("The operator's token", () => {
  it.effect("goes to this machine, or under TLS", () =>
    Effect.gen(function* () {
      for (const [typed, address] of [
        ["http://127.0.0.1:3000", "http://127.0.0.1:3000"],
        ["http://localhost:3000/api/", "http://localhost:3000/api"],
        ["http://[::1]:3000", "http://[::1]:3000"],
        ["https://pay.example/api//", "https://pay.example/api"]
      ] as const) {
        assert.strictEqual(yield* serverAddress(typed), address)
      }
    })
  )

  it.effect("goes to no one else, and what was typed is not repeated", () =>
    Effect.gen(function* () {
      for (const [typed, why] of [
        ["http://10.0.0.8:3000", "Use https"],
        ["http://pay.example", "Use https"],
        ["http://127.0.0.1.example", "Use https"],
        ["http://localhost.example", "Use https"],
        ["http://0.0.0.0:3000", "Use https"],
        ["https://me:CANARY@pay.example", "password"],
        ["https://pay.example/?CANARY=1", "query"],
        ["ftp://127.0.0.1", "not an address"],
        ["127.0.0.1:3000", "not an address"],
        ["", "not an address"]
      ] as const) {
        const { message } = yield* Effect.flip(serverAddress(typed))
        assert.include(message, why, typed)
        assert.notInclude(message, "CANARY")
      }
    })
  )

  it("is not sent if a command would call another machine in clear text", async () => {
    const env = { OPERATOR_TOKEN: operatorToken }
    const { code, stderr } = await runHere(["operator", "trial-balance", "--server", "http://192.0.2.1:1"], env)
    assert.strictEqual(code, 1)
    assert.match(stderr, /^--server uses http to another machine: .* Use https\.$/m)
  })
})

describe("What names a record", () => {
  it.each(["..", ".", ""])("leads to no other route: %j", async (id) => {
    const { code, stderr, stdout } = await runHere(["merchant", "get", id, "--server", "http://127.0.0.1:1"], {})
    assert.notStrictEqual(code, 0)
    assert.include(stderr + stdout, "it must be an id")
    assert.notInclude(stderr, "No server responds")
  })
})

describe("What a merchant has written", () => {
  it("commands no terminal, and stays the same JSON", () => {
    const name = "Ada\u001b]0;owned\u0007 \u009b31m \u202eyap"
    assert.strictEqual(shown(name), "Ada\\u001b]0;owned\\u0007 \\u009b31m \\u202eyap")
    const json = JSON.stringify({ name }, undefined, 2)
    assert.notMatch(shownLines(json), /[\u007f-\u009f\u202e]/u)
    assert.strictEqual(shownLines(json).split("\n").length, 3)
    assert.deepStrictEqual(JSON.parse(shownLines(json)), { name })
  })
})

describe("An older Node", () => {
  it("says what to install, before anything that it cannot run is loaded", async () => {
    const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })'
    const { code, stderr } = await runSurety(["--help"], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(older)}`
    })
    assert.deepStrictEqual([code, stderr], [1, "@surety/server needs Node 22.19 or later; this is 20.20.2.\n"])
  })
})
