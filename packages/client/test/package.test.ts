import { execFile } from "node:child_process"
import { readFile, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import path from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { tsc } from "../../../tests/installed/InstalledPackage.js"
import { ensureBuilt, installInto, packageDirectory } from "./Installed.js"

const run = promisify(execFile)

const bundle = async (contents: string, minify: boolean) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: packageDirectory },
    absWorkingDir: packageDirectory,
    bundle: true,
    format: "esm",
    platform: "neutral",
    packages: "external",
    external: ["node:*"],
    minify,
    metafile: true,
    write: false
  })
  const [output] = outputFiles
  return { inputs: Object.entries(metafile.inputs), code: output?.contents ?? expect.fail("nothing was bundled") }
}

const gzipped = (code: Uint8Array): number => gzipSync(code, { level: 9 }).length

it("imports nothing from outside of the package's sources, not even what the runtime brings", async () => {
  const { inputs } = await bundle('export * from "./src/index.ts"', false)
  expect(inputs.length).toBeGreaterThan(20)
  const imports = inputs.flatMap(([, input]) => input.imports)
  expect(imports.filter(({ external, path: file }) => external === true || !file.startsWith("src/"))).toEqual([])
})

it("has at most 15 KB, minified and compressed", async () => {
  const { code } = await bundle('export * from "./src/index.ts"', true)
  expect(gzipped(code)).toBeLessThanOrEqual(15 * 1024)
})

it("leaves behind what a program does not use", async () => {
  const { code } = await bundle('import { amountOf } from "./src/index.ts"\nconsole.log(amountOf("1"))', true)
  expect(gzipped(code)).toBeLessThanOrEqual(512)
})

it("the manifest names nothing that a merchant would have to install along", async () => {
  const manifest = JSON.parse(await readFile(path.join(packageDirectory, "package.json"), "utf8"))
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "bundleDependencies"]) {
    expect(manifest).not.toHaveProperty(kind)
  }
})

it("its types speak of nothing but the language and the web", async () => {
  await ensureBuilt()
  for (const file of ["index.d.cts", "createClient.d.cts", "Interface.generated.d.cts", "resources/refunds.d.cts"]) {
    const types = await readFile(path.join(packageDirectory, "dist", file), "utf8")
    expect(types.replaceAll(/\/\*\*.*?\*\//gsu, "")).not.toMatch(/effect|from ["'](?!\.)/iu)
  }
})

describe("as it is installed", () => {
  let consumer = ""

  beforeAll(async () => {
    consumer = await installInto()
  })
  afterAll(() => rm(consumer, { recursive: true, force: true }))

  const program = `
const exercise = async ({ createClient, PaymentNotFound, BadRequest, NotFound }) => {
  const body = JSON.stringify({ type: "", title: "t", status: 404, detail: "d", instance: "", code: "payment_not_found" })
  const fetch = async () => new Response(body, { status: 404, headers: { "content-type": "application/problem+json" } })
  const client = createClient({ apiKey: "sk_test_1", baseUrl: "https://pay.example", fetch })
  const error = await client.refunds.create({ reference: "r" }).catch((it) => it)
  console.log(error instanceof PaymentNotFound, error instanceof NotFound, error instanceof BadRequest, error.name)
}
`

  it.each([
    ["import", "esm.mjs", 'exercise(await import("@surety/client"))'],
    ["require", "commonJs.cjs", 'exercise(require("@surety/client"))']
  ])("it works by %s", async (_how, file, call) => {
    await writeFile(path.join(consumer, file), `${program}\n${call}\n`)
    const { stdout } = await run(process.execPath, [path.join(consumer, file)])
    expect(stdout.trim()).toBe("true true false PaymentNotFound")
  })

  it("its insides cannot be imported", async () => {
    const file = path.join(consumer, "inside.mjs")
    await writeFile(file, 'await import("@surety/client/dist/index.js")\n')
    await expect(run(process.execPath, [file])).rejects.toThrow("ERR_PACKAGE_PATH_NOT_EXPORTED")
  })

  const olderTsc = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
  const typed = `import { createClient, isKnownProblem, type Refund } from "@surety/client"
const client = createClient({ apiKey: "sk_test_1", baseUrl: "https://pay.example" })
export const check = async (): Promise<Refund | string> => {
  const refund = await client.refunds.create({ reference: "r", amount: 5 }, { idempotencyKey: "k" }).catch((error: unknown) => {
    if (isKnownProblem(error) && error.code === "amount_exceeds_refundable") return error.refundable.toFixed(2)
    throw error
  })
  for await (const { amount } of client.refunds.list({ limit: 5 })) amount.toFixed(2)
  // @ts-expect-error: requests have the wire's names
  client.refunds.create({ transactionId: "payment_1" })
  return refund
}
`

  it.each([
    ["node16", "TypeScript 7", tsc],
    ["nodenext", "TypeScript 7", tsc],
    ["node16", "TypeScript 5", olderTsc],
    ["nodenext", "TypeScript 5", olderTsc]
  ])("its types are right under %s of %s, for ES modules and for CommonJS", async (module, _version, compiler) => {
    for (const file of ["typed.mts", "typed.cts"]) await writeFile(path.join(consumer, file), typed)
    const files = ["typed.mts", "typed.cts"].map((file) => path.join(consumer, file))
    const options = { target: "es2022", lib: "es2022,dom", module }
    const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
    const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--preserveSymlinks"]
    const { stdout } = await run(process.execPath, [compiler, ...strict, ...flags, ...files], { cwd: consumer }).catch(
      (failed: { readonly stdout: string }) => failed
    )
    expect(stdout).toBe("")
  })
})
