import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { runHere } from "../support/CommandHere.js"

const mistakesOf = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await runHere(args, {})
  assert.deepStrictEqual([code, stdout], [1, ""])
  const lines = stderr.trimEnd().split("\n")
  assert.match(lines.at(-1) ?? "", /^Run surety( [a-z-]+)* --help for usage\.$/)
  return lines.slice(0, -1)
}

const commands = path.join(import.meta.dirname, "../../src/cli")

const directory = "postgres://surety@127.0.0.1:1/directory"
const cells = JSON.stringify([{ name: "west", url: "postgres://surety@127.0.0.1:1/west", open: true }])

const secret = "sk_live_4eC39HqLyjWDarjtT1zdp7dc4eC39HqLyjWDarjtT1z0rKq9A"

describe("A mistaken command line", () => {
  it("prints the mistake and how to get help, on stderr alone", async () => {
    assert.deepStrictEqual(await runHere(["verify", "--bogus"], {}), {
      code: 1,
      stdout: "",
      stderr: "Unrecognized flag: --bogus\nRun surety verify --help for usage.\n"
    })
    assert.include((await runHere(["nonsense"], {})).stderr, "\nRun surety --help for usage.\n")
    assert.include((await runHere(["key", "create"], {})).stderr, "\nRun surety key create --help for usage.\n")
  })

  it("names every missing flag at once", async () => {
    const flags = ["name", "legal-name", "contact-name", "contact-email", "country", "business-type"]
    assert.deepStrictEqual(
      await mistakesOf("merchant", "create"),
      flags.map((flag) => `Missing required flag: --${flag}`)
    )
  })

  it("names missing flags beside an unknown one, but none after -- or with an unknown command", async () => {
    assert.deepStrictEqual(await mistakesOf("operator", "post-transfer", "--reasn=x", "--kind", "PAYOUT"), [
      "Unrecognized flag: --reasn. Did you mean --reason?",
      "Missing required flag: --amount",
      "Missing required flag: --reason",
      "Missing required flag: --idempotency-key"
    ])
    assert.include(
      await mistakesOf("operator", "post-transfer", "--bogus", "--kind=PAYOUT", "--reason=x", "--", "--amount"),
      "Missing required flag: --amount"
    )
    assert.deepStrictEqual(await mistakesOf(""), ['Unknown command: ""'])
    assert.deepStrictEqual(await mistakesOf("archive", "verfy"), ["Unknown command: verfy. Did you mean verify?"])
  })

  it("does not call an optional list missing", async () => {
    const required = ["--url", "https://shop.example/hook"]
    const lines = await mistakesOf("webhook", "register", ...required, "--bogus")
    assert.deepStrictEqual(lines, ["Unrecognized flag: --bogus"])
  })

  it("names every unreadable value and unexpected argument at once", async () => {
    assert.deepStrictEqual(await mistakesOf("key", "create", "abc", "--environment", "X", "extra"), [
      'Invalid value for argument <merchant>: "abc". Expected an id of the form merchant_ and 26 characters.',
      'Invalid value for flag --environment: "X". Expected: "TEST" | "LIVE".',
      'Unexpected argument: "extra". Quote a value with spaces.'
    ])
    const moment = "Expected an existing date and time with its offset, such as 2026-03-01T09:30:00Z."
    assert.deepStrictEqual(await mistakesOf("breach", "report", "--since", "2026-01-01", "--until", "soon"), [
      `Invalid value for flag --since: "2026-01-01". ${moment}`,
      `Invalid value for flag --until: "soon". ${moment}`
    ])
  })

  it("does so in every command that takes input", () => {
    const sources = readdirSync(commands, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    const texts = sources.map((file) => readFileSync(path.join(commands, file), "utf8"))
    assert.isAbove(texts.join("").split("everyMistake(").length, 12)
    assert.deepStrictEqual(
      texts.flatMap((text) => text.match(/Command\.make\(\s*[^,()]+,\s*\{(?!\}).*/g) ?? []),
      []
    )
  })

  it("continues with the arguments after one that is unreadable", async () => {
    assert.deepStrictEqual(await mistakesOf("merchant", "revoke-api-key", "..", "."), [
      'Invalid value for argument <merchant-id>: "..". Expected: it must be an id.',
      'Invalid value for argument <api-key-id>: ".". Expected: it must be an id.'
    ])
  })

  it("names a flag without its value", async () => {
    assert.deepStrictEqual(await mistakesOf("migrate", "--serve-as"), [
      "Missing value for flag --serve-as. Expected: string."
    ])
    assert.deepStrictEqual(await mistakesOf("verify", "--full", "--full"), [
      'Invalid value for flag --full: "2 occurrences". Expected: at most 1 value.'
    ])
  })

  it("does not stop help", async () => {
    const { code, stderr, stdout } = await runHere(["key", "create", "--bogus", "--help"], {})
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(stdout, "surety key create [flags] <merchant>")
  })

  it("knows -h and -v alone, but not among other letters", async () => {
    const byName = await Promise.all(["--help", "--version"].map((name) => runHere(["verify", name], {})))
    assert.deepStrictEqual(await Promise.all(["-h", "-v"].map((name) => runHere(["verify", name], {}))), byName)
    assert.match(byName[1]?.stdout ?? "", /\d+\.\d+\.\d+/)
    for (const letters of [`-${secret}`, "-vh", "-hv", "-oh"]) {
      assert.lengthOf(await mistakesOf("verify", "--from", letters), 2)
    }
  })
})

describe("What was typed", () => {
  it.each([
    ["key", "create", secret],
    ["key", "create", "merchant_01h455vb4pex5vsknk084sn02q", secret],
    ["verify", "--merchant", secret],
    ["verify", `--no-full=${secret}`],
    ["verify", `--secret=${secret}`],
    ["verify", `--${secret}`],
    ["verify", "--log-level", secret],
    ["operator", "post-transfer", "--kind", secret],
    ["key", secret],
    [secret],
    ["verify", "--merchant", "a-token-of-16-ch"],
    ["verify", "--from", "-4eC39HqLyjWDarjtT1zdp7dc"]
  ])("is not repeated if it may be a secret: %j %j %j %j", async (...args) => {
    const typed = args.filter((arg) => typeof arg === "string")
    const printed = (await mistakesOf(...typed)).join("\n")
    assert.notInclude(printed, secret.slice(8))
    assert.notInclude(printed, "token-of")
    assert.notMatch(printed, /-4\b|-e\b|-C\b/)
  })

  it("is quoted if it is short, an id or a time", async () => {
    for (const typed of ["abc", "payment_01h455vb4pex5vsknk084sn02q", "2026-03-01T09:30:00+01:00"]) {
      assert.include((await mistakesOf("key", "create", typed)).join(), `: "${typed}". Expected`)
    }
  })

  it("stays on one line and commands no terminal", async () => {
    const typed = "\u001b[31m\u202e\r\nno"
    const escaped = "\\u001b[31m\\u202e\\u000d\\u000ano"
    assert.deepStrictEqual(await mistakesOf("verify", typed), [
      `Unexpected argument: "${escaped}". Quote a value with spaces.`
    ])
    assert.deepStrictEqual(await mistakesOf("verify", `--${typed}`), [`Unrecognized flag: --${escaped}`])
    assert.include((await mistakesOf("verify", "--merchant", typed)).join(), `--merchant: "${escaped}". Expected`)
    const { stderr } = await runHere(["verify", "--cell", typed], { CELLS: cells, DATABASE_URL: directory })
    assert.include(stderr, `CELLS has no cell "${escaped}", only west.`)
  })

  it("never fills the screen", async () => {
    assert.deepStrictEqual(await mistakesOf("verify", ...Array.from("abcdefg")), [
      'Unexpected arguments: "a", "b", "c", "d", "e" and 2 more. Quote a value with spaces.'
    ])
    assert.deepStrictEqual(await mistakesOf("verify", "--merchant", "😀".repeat(50_000)), [
      "Invalid value for flag --merchant: (50000 characters, not shown). Expected an id of the form merchant_ and 26 characters."
    ])
    assert.deepStrictEqual(await mistakesOf("verify", "-full"), [
      "Unrecognized flags of one letter. A flag's name has two dashes; a value with a dash needs --flag=value."
    ])
  })
})
