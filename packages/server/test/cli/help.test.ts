import { assert, describe, it } from "@effect/vitest"
import { runHere } from "../support/CommandHere.js"

/** Returns the help of a command, with runs of spaces reduced to one. */
const helpOf = async (...command: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await runHere([...command, "--help"], {})
  assert.deepStrictEqual([code, stderr], [0, ""])
  return stdout.split("\n").map((line) => line.trim().replace(/ +/g, " "))
}

const lineOf = (help: ReadonlyArray<string>, start: string): string =>
  help.find((line) => line.startsWith(`${start} `)) ?? `no line begins with ${start}`

describe("Help", () => {
  it("marks required flags, lists them first, and shows them in the usage", async () => {
    const help = await helpOf("merchant", "create")
    const required = ["name", "legal-name", "contact-name", "contact-email", "country", "business-type"]
    assert.strictEqual(
      lineOf(help, "surety merchant create"),
      `surety merchant create ${required.map((flag) => `--${flag} <string>`).join(" ")} [flags]`
    )
    const flags = help.filter((line) => line.startsWith("--"))
    for (const [index, flag] of required.entries()) {
      assert.match(flags[index] ?? "", new RegExp(`^--${flag} string Required\\.`))
    }
    assert.notInclude(lineOf(help, "--website-url"), "Required")
    assert.notInclude(lineOf(help, "--server"), "Required")
  })

  it("marks a required list, a required choice and neither an optional list nor one with a default", async () => {
    const grant = await helpOf("operator", "grant")
    assert.match(lineOf(grant, "--fields"), /^--fields string Required\. /)
    const status = await helpOf("operator", "change-status")
    assert.match(lineOf(status, "--status"), /^--status choice Required\. \(choices: /)
    assert.include(lineOf(status, "surety operator change-status"), "--status <choice> [flags] <merchant-id>")
    assert.notInclude(lineOf(await helpOf("webhook", "register"), "--topics"), "Required")
    assert.match(lineOf(await helpOf("key", "create"), "--environment"), /Default TEST\./)
    assert.notInclude((await helpOf("key", "create")).join("\n"), "Required")
  })

  it("describes the inputs of paths and queries too", async () => {
    const merchants = await helpOf("operator", "list-merchants")
    assert.match(lineOf(merchants, "--limit"), /^--limit string \S/)
    assert.match(lineOf(merchants, "--cursor"), /^--cursor string \S/)
  })

  it("says how to separate the values of a list, and how to turn a default off", async () => {
    const register = await helpOf("webhook", "register")
    assert.include(lineOf(register, "--topics"), "Separate values with commas, or repeat the flag.")
    assert.include(lineOf(await helpOf("operator", "create-payment"), "--settled"), "--no-settled for false.")
  })
})
