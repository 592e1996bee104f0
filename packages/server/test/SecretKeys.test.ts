import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect } from "effect"
import { production } from "./support/Production.js"
import { runSurety } from "./support/ServerProcess.js"

const key = (byte: number): string => Buffer.alloc(32, byte).toString("base64")
const [a, b] = [key(1), key(2)]

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "surety-keys-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

it.live(
  "A SECRETS_KEY that the database was not used with stops the server and the commands, and names no key",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const settings = production(url, { DATA_DIR: yield* directory, PORT: "0" })
      const run = (secretsKey: string, ...args: ReadonlyArray<string>) =>
        Effect.promise(() => runSurety(args, { ...settings, SECRETS_KEY: secretsKey }))
      const consumer = ["operator", "create-consumer", "--no-phone-verified", "--display-name", "Ada"]
      const first = yield* run(a, ...consumer)
      assert.strictEqual(first.code, 0, first.stderr)
      for (const args of [["serve"], consumer, ["verify"]]) {
        const { code, stderr, stdout } = yield* run(b, ...args)
        assert.strictEqual(code, 1, args.join(" "))
        assert.match(stderr, /SECRETS_KEY does not match the database .* was used with secret key [0-9a-f]{8}, /)
        for (const secret of [a, b]) assert.notInclude(stderr + stdout, secret)
      }
      assert.strictEqual((yield* run(`${b},${a}`, ...consumer)).code, 0)
      assert.strictEqual((yield* run(b, ...consumer)).code, 0)
    }).pipe(Effect.scoped, Effect.provide(RunDatabase.layer)),
  240_000
)
