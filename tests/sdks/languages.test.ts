import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isLeftOut } from "../../packages/testing/src/machine/LeftOut.ts"
import { type Program, readmePrograms } from "./readmePrograms.ts"
import { type Sandbox, startSandbox } from "./Sandbox.ts"
import { hasTool, type Printed, requireTools, root, run } from "./Toolchain.ts"

let sandbox: Sandbox
let directory: string

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "surety-readmes-"))
  sandbox = await startSandbox()
})

afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  await sandbox.stop()
})

const succeeded = (printed: Printed): string => {
  expect(printed.status, printed.stdout + printed.stderr).toBe(0)
  return printed.stdout
}

const written = (file: string, text: string): string => {
  const target = path.join(directory, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, text)
  return target
}

/**
 * Returns environment variables for a README's programs, with a new key. The url ends in `/v1`, which the SDKs also
 * accept.
 */
const settings = async () => ({ SERVICE_API_KEY: await sandbox.newKey(), SERVICE_URL: `${sandbox.url}/v1` })

/** Separates the outputs of a README's blocks if they run as one program. Go's blocks run as separate programs. */
const rule = "-----"

const joined = (blocks: ReadonlyArray<Program>, separator: string): string =>
  blocks.map(({ code }) => code).join(separator)

const prints = (blocks: ReadonlyArray<Program>): ReadonlyArray<string> => blocks.map((block) => block.prints)

const parts = (stdout: string): ReadonlyArray<string> => stdout.split(`${rule}\n`)

describe.skipIf(isLeftOut(process.env, "SKIP_SDKS"))("sdks/python", () => {
  beforeAll(() => requireTools("python"))

  const own = { PYTHONPATH: "src:." }

  it("compiles as Python 3.9, and has no fault that the installed linters know", async () => {
    const parse = "ast.parse(file.read_text('utf-8'), str(file), feature_version=(3, 9))"
    const compile = `import ast, pathlib; [${parse} for file in pathlib.Path('.').rglob('*.py')]`
    succeeded(await run("sdks/python", "python3", ["-W", "error", "-c", compile]))
    if (hasTool("pyflakes3")) succeeded(await run("sdks/python", "pyflakes3", ["src", "tests"]))
    if (hasTool("/usr/bin/mypy")) succeeded(await run("sdks/python", "/usr/bin/mypy", ["--cache-dir=/dev/null"]))
  })

  it("passes its tests", async () => {
    const { status, stderr, stdout } = await run(
      "sdks/python",
      "python3",
      ["-m", "unittest", "discover", "-s", "tests", "-t", "."],
      own
    )
    expect(status, stdout + stderr).toBe(0)
    expect(Number(/Ran (\d+) tests/.exec(stderr)?.[1])).toBeGreaterThan(30)
  })

  it("prints what its README says", async () => {
    const blocks = readmePrograms("sdks/python/README.md", "python")
    const file = written("readme.py", joined(blocks, `\nprint("${rule}")\n`))
    const stdout = succeeded(await run("sdks/python", "python3", [file], { ...own, ...(await settings()) }))
    expect(parts(stdout)).toEqual(prints(blocks))
  })
})

describe.skipIf(isLeftOut(process.env, "SKIP_SDKS"))("sdks/php", () => {
  beforeAll(() => requireTools("php"))

  const sources = ["src", "src/internal", "src/generated", "tests"].flatMap((folder) =>
    readdirSync(path.join(root, "sdks/php", folder)).flatMap((name) =>
      name.endsWith(".php") ? [`${folder}/${name}`] : []
    )
  )

  it("compiles", async () => {
    const lint =
      "foreach (array_slice($argv, 1) as $file) { PhpToken::tokenize(file_get_contents($file), TOKEN_PARSE); }"
    expect(sources.length).toBeGreaterThan(15)
    succeeded(await run("sdks/php", "php", ["-r", lint, "--", ...sources]))
    succeeded(await run("sdks/php", "php", ["-l", "src/autoload.php"]))
  })

  it("passes its tests", async () => {
    const stdout = succeeded(await run("sdks/php", "php", ["tests/run.php"]))
    expect(Number(/(\d+) passed, 0 failed/.exec(stdout)?.[1])).toBeGreaterThan(20)
  })

  it("prints what its README says", async () => {
    const blocks = readmePrograms("sdks/php/README.md", "php")
    const copied = joined(blocks, `\necho "${rule}\\n";\n`)
    const opening = "<?php\nrequire 'vendor/autoload.php';\n"
    expect(copied.startsWith(opening)).toBe(true)
    const head = `<?php\ndeclare(strict_types=1);\nrequire ${JSON.stringify(path.join(root, "sdks/php/src/autoload.php"))};\n`
    const file = written("readme.php", head + copied.slice(opening.length))
    const stdout = succeeded(await run("sdks/php", "php", [file], await settings()))
    expect(parts(stdout)).toEqual(prints(blocks))
  })
})

describe.skipIf(isLeftOut(process.env, "SKIP_SDKS"))("sdks/go", () => {
  beforeAll(() => requireTools("go"))

  it("is formatted and vetted", async () => {
    expect(succeeded(await run("sdks/go", "gofmt", ["-l", "."]))).toBe("")
    succeeded(await run("sdks/go", "go", ["vet", "./..."]))
  })

  it("passes its tests", async () => {
    succeeded(await run("sdks/go", "go", ["test", "-vet=off", "./..."]))
  })

  it("prints what its README says", async () => {
    const blocks = readmePrograms("sdks/go/README.md", "go")
    const module = `module readme\n\ngo 1.19\n\nrequire surety.example/surety-go v0.0.0\n\nreplace surety.example/surety-go => ${path.join(root, "sdks/go")}\n`
    written("go/go.mod", module)
    const environment = await settings()
    for (const [index, { code, prints: expected }] of blocks.entries()) {
      const program = written(`go/program${index}/main.go`, code)
      expect(succeeded(await run(path.join(directory, "go"), "gofmt", ["-l", program]))).toBe("")
      const stdout = succeeded(await run(path.join(directory, "go"), "go", ["run", `./program${index}`], environment))
      expect(stdout).toBe(expected)
    }
  })
})
