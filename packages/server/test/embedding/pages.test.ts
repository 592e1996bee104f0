import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"
import { Client } from "pg"
import { parse } from "yaml"
import { fencesIn, placeOf, root, textOf } from "../docs/Fence.js"
import { followPage } from "../docs/followPage.js"
import { brokenLinks, missingInIndex } from "../docs/Links.js"
import { makeShell } from "../docs/Shell.js"
import { steadyText } from "../docs/Shown.js"
import { runHere } from "../support/CommandHere.js"
import { runSurety } from "../support/ServerProcess.js"
import { typeErrors } from "../support/typeErrors.js"
import { blocks, followable, pages, treatmentOf } from "./EmbeddingPage.js"

const patience = 400_000
const main = path.join(root, "packages/server/dist/published/main.js")
const same = { arrive: (text: string) => text, show: (text: string) => text }

describe("The pages on embedding", () => {
  it("are all in their index, and lead to existing files and headings", () => {
    assert.deepStrictEqual(missingInIndex("docs/embedding", pages), [])
    assert.deepStrictEqual(pages.flatMap(brokenLinks), [])
  })

  it("say of every block how it is tested, and a block that does not is refused", () => {
    for (const page of pages) for (const fence of fencesIn(page, textOf(page))) treatmentOf(fence)
    for (const info of ["sh", "ts", "sql", "sh needs docker", "sh needs magic", "ts file a.js", "yaml"]) {
      const [fence] = fencesIn("page.md", `\`\`\`${info}\ntrue\n\`\`\`\n`)
      assert.isDefined(fence)
      assert.throws(() => treatmentOf(fence), /page\.md:1: nothing says how/)
    }
  })

  it(
    "show TypeScript that compiles",
    async () => {
      const typed = blocks("typed")
      assert.isAtLeast(typed.length, 8)
      const files = typed.map(({ code, page, words }) => [`${path.basename(page, ".md")}/${words[1]}`, code] as const)
      const wrong = [
        "wrong.ts",
        'import { memoryStore } from "@surety/embed"\nexport const store: string = memoryStore()\n'
      ]
      const faults = (await typeErrors(Object.fromEntries([...files, wrong]))).split(/\n(?! )/)
      assert.lengthOf(faults, 1, faults.join("\n"))
      assert.match(faults[0] ?? "", /^wrong\.ts/)
    },
    patience
  )

  it("show commands for a shell, in the grammar of one", () => {
    const broken = (code: string) => spawnSync("bash", ["-n"], { input: code, encoding: "utf8" }).stderr
    assert.isNotEmpty(broken("if true; echo"))
    for (const fence of [...blocks("shell"), ...blocks("commands")])
      assert.strictEqual(broken(fence.code), "", placeOf(fence))
  })

  it(
    "show commands of ours with the flags that they have",
    async () => {
      for (const fence of blocks("commands")) {
        for (const line of fence.code.trim().split("\n")) {
          const [program, ...words] = line.split(" ")
          assert.strictEqual(program, "surety", placeOf(fence))
          const command = words.slice(0, 2).filter((word) => !word.startsWith("--"))
          const { stdout } = await runHere([...command, "--help"], {})
          assert.include(stdout, `surety ${command.join(" ")} `, placeOf(fence))
          for (const flag of words.filter((word) => word.startsWith("--")))
            assert.include(stdout, `${flag} `, placeOf(fence))
        }
      }
    },
    patience
  )

  it("draw arrows between boxes that there are", () => {
    const pictures = blocks("picture")
    assert.lengthOf(pictures, 1)
    for (const { code } of pictures) {
      const boxes = new Set(Array.from(code.matchAll(/(\w+)(?:\[\(?"|\["[^"]+"\])/g), ([, name = ""]) => name))
      const ends = Array.from(code.matchAll(/^\s*(\w+)(?:\["[^"]+"\])? --.*> (\w+)/gm), ([, from = "", to = ""]) => [
        from,
        to
      ])
      assert.isAtLeast(ends.length, 8)
      for (const end of ends.flat()) assert.isTrue(boxes.has(end), `${end} is drawn nowhere`)
      assert.strictEqual(code.match(/\bsubgraph\b/g)?.length, code.match(/^\s*end$/gm)?.length)
    }
  })

  it("show files in the grammar of their kind", () => {
    for (const { code, language } of blocks("parsed")) {
      if (language === "yaml") assert.isObject(parse(code))
      else for (const line of code.trim().split("\n")) assert.match(line, /^(\[\w+\]|\w+ = .+|)$/)
    }
  })

  it.live.each([
    { page: "docs/embedding/migrations.md", deployed: ":" },
    { page: "docs/embedding/operations.md", deployed: "surety migrate" }
  ])(
    "show in $page what the command does",
    ({ deployed, page }) =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const directory = mkdtempSync(path.join(tmpdir(), "surety-page-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true })))
        const shell = makeShell(directory, same)
        yield* shell.run(
          `surety() { node ${main} "$@"; }\nexport SECRETS_KEY=$(openssl rand -base64 32) LOG_LEVEL=warning\n` +
            `export DATABASE_URL=${Redacted.value(url)}\n${deployed}`
        )
        yield* followPage(
          page,
          shell,
          ({ fence, printed }) => assert.strictEqual(steadyText(printed), steadyText(fence.code), placeOf(fence)),
          followable(page)
        )
      }).pipe(Effect.scoped, Effect.provide(RunDatabase.layer)),
    patience
  )

  it.live(
    "show SQL that a migrated database takes; the server's role can serve with the rights that it is given",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const owner = {
          DATABASE_URL: Redacted.value(url),
          LOG_LEVEL: "warning",
          DATA_DIR: mkdtempSync(path.join(tmpdir(), "surety-"))
        }
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(owner.DATA_DIR, { recursive: true })))
        assert.strictEqual((yield* Effect.promise(() => runHere(["migrate"], owner))).code, 0)
        const role = `r_${path.basename(new URL(owner.DATABASE_URL).pathname)}`
        const client = new Client({ connectionString: owner.DATABASE_URL })
        yield* Effect.promise(() => client.connect())
        yield* Effect.addFinalizer(() =>
          Effect.promise(async () => {
            await client.query(`drop owned by ${role} cascade; drop role ${role}`)
            await client.end()
          })
        )
        for (const { code } of blocks("sql")) {
          yield* Effect.promise(() => client.query(code.replaceAll("surety_server", role)))
        }
        yield* Effect.promise(() => client.query(`alter role ${role} password 'served'`))
        const served = yield* Effect.promise(() => runSurety(["migrate", "--serve-as", role], owner))
        assert.include(served.stdout, `${role} has the rights to serve, and no others.`, served.stderr)
        const limited = new URL(owner.DATABASE_URL)
        limited.username = role
        limited.password = "served"
        const env = { ...owner, DATABASE_URL: limited.href }
        const run = (...args: ReadonlyArray<string>) => Effect.promise(() => runHere(args, env))
        const application =
          "--name Shop --legal-name Shop --contact-name Ada --contact-email a@shop.example --country NG"
        const created = yield* run("merchant", "create", ...application.split(" "), "--business-type", "retail")
        assert.strictEqual(created.code, 0, created.stderr)
        assert.strictEqual((yield* run("verify")).stdout, "Everything adds up.\n")
        const refused = yield* Effect.exit(
          Effect.tryPromise(async () => {
            const other = new Client({ connectionString: limited.href })
            await other.connect()
            await other.query("create table surety.mine (id int)").finally(() => other.end())
          })
        )
        assert.strictEqual(refused._tag, "Failure")
      }).pipe(Effect.scoped, Effect.provide(RunDatabase.layer)),
    patience
  )
})
