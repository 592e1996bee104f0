import { assert } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Redacted } from "effect"
import { runHere } from "../support/CommandHere.js"

/** Timeout in milliseconds. A test may run many commands, and the machine may be busy. */
export const patience = 240_000

export const operatorToken = "operator-token-for-the-shell"

/** The environment of a command over the test's database. */
export const environment = Effect.map(TestDatabase, ({ url }) => ({
  DATABASE_URL: Redacted.value(url),
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  OPERATOR_TOKEN: operatorToken,
  LOG_LEVEL: "warning"
}))

/** The options of `surety merchant create`. */
export const application: ReadonlyArray<string> = [
  ...["--name", "Ada's Shop", "--legal-name", "Ada Obi Trading Ltd", "--contact-name", "Ada Obi"],
  ...["--contact-email", "ada@shop.example", "--country", "Nigeria", "--business-type", "retail"]
]

/**
 * Runs commands in one environment. `printed` requires a command to succeed and returns its output. `answer` parses the
 * output as JSON; without output, it returns undefined. `more` are arguments that every command gets.
 */
export const shell = (...more: ReadonlyArray<string>) =>
  Effect.map(environment, (env) => {
    const run = (...args: ReadonlyArray<string>) => Effect.promise(() => runHere([...args, ...more], env))
    const printed = (...args: ReadonlyArray<string>) =>
      Effect.map(run(...args), ({ code, stderr, stdout }) => {
        assert.strictEqual(code, 0, `${args.join(" ")}\n${stderr}`)
        return stdout
      })
    const answer = (...args: ReadonlyArray<string>) =>
      Effect.map(printed(...args), (stdout) => (stdout === "" ? undefined : JSON.parse(stdout)))
    return { run, printed, answer }
  })
