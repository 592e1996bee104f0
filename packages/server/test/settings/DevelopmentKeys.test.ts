import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { operatorToken, operatorTokenFile, serverKeys } from "../../src/DevelopmentKeys.js"
import { parseSettings } from "../../src/settings/parseSettings.js"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "surety-keys-"))),
  (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
)

const settingsIn = (dataDir: string) => Result.getOrThrow(parseSettings({ DATA_DIR: dataDir }))

describe("The kept token of the operator", () => {
  it.live.each(["", "\n", "op_short\n", "op_with a space in it"])("is refused if it is %j", (text) =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      const file = path.join(dataDir, operatorTokenFile)
      yield* Effect.promise(() => writeFile(file, text))
      const settings = settingsIn(dataDir)
      for (const refused of [yield* Effect.flip(serverKeys(settings)), yield* Effect.flip(operatorToken(settings))]) {
        assert.include(refused.message, `${file} holds no operator's token, which must have at least 16 characters`)
      }
    }).pipe(Effect.provide([NodeServices.layer, NodeCrypto.layer]))
  )

  it.live("is created once, with nothing else left beside it but the secret key", () =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      const settings = settingsIn(dataDir)
      const first = yield* serverKeys(settings)
      assert.deepStrictEqual(yield* serverKeys(settings), first)
      assert.deepStrictEqual(yield* operatorToken(settings), first.operatorToken)
      assert.match(first.operatorToken === undefined ? "" : Redacted.value(first.operatorToken), /^op_\S{32}$/)
      const files = yield* Effect.promise(() => readdir(dataDir))
      assert.sameMembers(files, [operatorTokenFile, "secrets-key"])
    }).pipe(Effect.provide([NodeServices.layer, NodeCrypto.layer]))
  )
})
