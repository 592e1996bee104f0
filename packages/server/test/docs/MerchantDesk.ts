import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { freePort } from "@surety/testing/machine/FreePort"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Context, Effect, Layer, Redacted } from "effect"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { serverProcess, withDocs } from "../support/ServerProcess.js"
import { root } from "./Fence.js"
import { type Comparison, followPage } from "./followPage.js"
import { makeShell, type Shell } from "./Shell.js"
import { typeErrors } from "./typeErrors.js"

/** A merchant engineer's setup: a running service, and a terminal per page. */
export class MerchantDesk extends Context.Service<
  MerchantDesk,
  {
    /** Each output that the quick start shows, with the actual output. */
    readonly quickStart: ReadonlyArray<Comparison>
    /** Opens a terminal for a page, in a copy of the quick start's directory. */
    readonly terminal: (page: string) => Shell
    /** Compiler errors in the programs of the quick start and of every terminal so far. */
    readonly typeErrors: Effect.Effect<string>
  }
>()("@surety/server/test/docs/MerchantDesk") {}

export const quickStart = "docs/merchants/quick-start.md"

/** Packages that the pages tell the reader to install, and Node's types. */
const packages = {
  "@surety/client": "packages/client",
  "@surety/verifier": "packages/verifier",
  "@types/node": "node_modules/@types/node"
}

const makeDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "surety-merchant-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** Mimics `npm install` by linking `packages` and the client's command. */
const install = (directory: string): void => {
  for (const [name, target] of Object.entries(packages)) {
    const link = path.join(directory, "node_modules", name)
    mkdirSync(path.dirname(link), { recursive: true })
    symlinkSync(path.join(root, target), link)
  }
  mkdirSync(path.join(directory, "node_modules/.bin"))
  symlinkSync("../@surety/client/dist/cli/main.js", path.join(directory, "node_modules/.bin/surety-client"))
}

/** Maps the ports on the pages to those of this run (`arrive`) and back (`show`). */
const translation = (ports: ReadonlyMap<string, number>) => {
  const swap = (text: string, pairs: ReadonlyArray<readonly [string, string]>): string =>
    pairs.reduce(
      (swapped, [from, to]) => swapped.replaceAll(new RegExp(`(127\\.0\\.0\\.1:|PORT=)${from}\\b`, "g"), `$1${to}`),
      text
    )
  const pairs = [...ports].map(([shown, actual]) => [shown, String(actual)] as const)
  return {
    arrive: (text: string) => swap(text, pairs),
    show: (text: string) =>
      swap(
        text,
        pairs.map(([shown, actual]) => [actual, shown] as const)
      )
  }
}

const environment = (databaseUrl: Redacted.Redacted) => ({
  ...withDocs,
  DATABASE_URL: Redacted.value(databaseUrl),
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  LOG_LEVEL: "warning"
})

export const layer = Layer.effect(
  MerchantDesk,
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const server = yield* serverProcess(environment(url))
    const ports = new Map([["3000", Number(new URL(server.url).port)]])
    for (const port of ["4000", "4001", "4002"]) ports.set(port, yield* Effect.promise(freePort))
    const desk = yield* makeDirectory
    const shellIn = (directory: string): Shell => makeShell(directory, translation(ports))
    const first = path.join(desk, "quick-start")
    mkdirSync(first)
    install(first)
    const comparisons: Array<Comparison> = []
    yield* followPage(quickStart, shellIn(first), (comparison) => comparisons.push(comparison))
    const directories = [first]
    return MerchantDesk.of({
      quickStart: comparisons,
      terminal: (page) => {
        const directory = path.join(desk, path.basename(page, ".md"))
        cpSync(first, directory, { recursive: true, verbatimSymlinks: true })
        directories.push(directory)
        return shellIn(directory)
      },
      typeErrors: Effect.suspend(() => typeErrors(directories))
    })
  })
).pipe(Layer.provide(MigratedDatabase.layer))
