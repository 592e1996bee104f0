import { readFileSync } from "node:fs"
import path from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { beforeAll, describe, expect, it } from "vitest"
import { root } from "../../scripts/packages.ts"
import { ensureBuilt } from "./InstalledPackage.js"

beforeAll(() => ensureBuilt(), 240_000)

/**
 * Bundles a program into one minified file. Returns its size in KB, raw and compressed, and a function that counts its
 * bytes from modules whose path matches a pattern.
 */
const bundle = async (program: string, external: ReadonlyArray<string>) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents: program, resolveDir: path.join(root, "packages/embed") },
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    minify: true,
    legalComments: "none",
    external: [...external],
    metafile: true,
    write: false
  })
  const code = outputFiles[0]?.contents ?? expect.fail("nothing was bundled")
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs))
  const bytesOf = (module: RegExp): number =>
    inputs.reduce((bytes, [file, { bytesInOutput }]) => bytes + (module.test(file) ? bytesInOutput : 0), 0)
  return { kilobytes: code.length / 1024, compressed: gzipSync(code, { level: 9 }).length / 1024, bytesOf }
}

const bundles = new Map<string, ReturnType<typeof bundle>>()

const bundleOf = (program: string, external: ReadonlyArray<string> = []): ReturnType<typeof bundle> => {
  const key = JSON.stringify([program, external])
  const made = bundles.get(key) ?? bundle(program, external)
  bundles.set(key, made)
  return made
}

const decision = 'export { decideRefund } from "@surety/core/refund/decideRefund"'
const embedded = 'export { createSurety, memoryStore } from "@surety/embed"'

describe("A bundle", () => {
  it("of a decision has the rules in it, and no service, store or page", async () => {
    const { bytesOf } = await bundleOf(decision)
    expect(bytesOf(/core\/dist\/refund\/decideRefund\.js$/)).toBeGreaterThan(0)
    expect(bytesOf(/core\/dist\/(.*\/)?(memory\/.*|(?!Ids\.)\w+s|\w*Store|\w*Recovery)\.js$/)).toBeLessThan(2048)
    expect(bytesOf(/packages\/(?!core\/)/)).toBe(0)
  })

  it("of an embedded Surety over memory has no database in it, neither PGlite nor the migrations", async () => {
    const { bytesOf } = await bundleOf(embedded)
    expect(bytesOf(/core\/dist\/memory\//)).toBeGreaterThan(10_000)
    expect(bytesOf(/electric-sql|postgres\/dist\/(migrations|Pg\w+Store)/)).toBe(0)
  })
})

/** Rows of the table in docs/packages.md: a program with its minified size and its compressed size, in KB. */
const claims = Array.from(
  readFileSync(path.join(root, "docs/packages.md"), "utf8").matchAll(
    /^\| (?<program>.+?) \| (?<kilobytes>[\d,.]+) KB \| (?<compressed>[\d,.]+) KB \|$/gm
  ),
  ({ groups }) => ({
    program: groups?.program ?? "",
    kilobytes: Number(groups?.kilobytes?.replace(",", "")),
    compressed: Number(groups?.compressed?.replace(",", ""))
  })
)

const programs: Readonly<Record<string, () => ReturnType<typeof bundle>>> = {
  "`decideRefund`, without `effect`": () => bundleOf(decision, ["effect", "effect/*"]),
  "`decideRefund`, with `effect`": () => bundleOf(decision),
  "`createSurety` and `memoryStore`": () => bundleOf(embedded),
  "all of `@surety/embed`": () => bundleOf('export * from "@surety/embed"')
}

describe("The sizes in docs/packages.md", () => {
  it("are of the programs that are measured here", () => {
    expect(claims.map(({ program }) => program)).toEqual(Object.keys(programs))
  })

  it.each(claims)("are right within a tenth: $program", async ({ program, kilobytes, compressed }) => {
    const measured = await programs[program]?.()
    expect(Math.abs((measured?.kilobytes ?? 0) / kilobytes - 1)).toBeLessThan(0.1)
    expect(Math.abs((measured?.compressed ?? 0) / compressed - 1)).toBeLessThan(0.1)
  })
})
