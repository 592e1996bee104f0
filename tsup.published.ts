import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"
import { type BuildOptions, build, type Plugin } from "esbuild"

/** Makes a bundle read the guides at run time from their copy at `place`, relative to the bundle. */
const guidesIn = (place: string): Plugin => ({
  name: "guides",
  setup: ({ onLoad }) =>
    onLoad({ filter: /NodeGuides\.ts$/ }, ({ path: file }) => ({
      contents: readFileSync(file, "utf8").replace('"../../dist/site.json"', JSON.stringify(place)),
      loader: "ts"
    }))
})

/** Removes Swagger's page from Effect's HTTP barrel. Its 2 MB are never used, since Scalar's page is served instead. */
const withoutSwagger: Plugin = {
  name: "without-swagger",
  setup: ({ onLoad }) => onLoad({ filter: /internal\/httpApiSwagger\.js$/ }, () => ({ contents: "export {}" }))
}

/**
 * Exports undici's names one by one. undici is CommonJS, and an esbuild chunk exports only the names that the source
 * lists explicitly.
 */
const undiciNames: Plugin = {
  name: "undici-names",
  setup: ({ onLoad }) =>
    onLoad({ filter: /platform-node\/dist\/Undici\.js$/ }, ({ path: file }) => {
      const names = Object.keys(createRequire(file)("undici")).filter((name) => name !== "default")
      return {
        contents: `import undici from "undici"\nexport const { ${names.join(", ")} } = undici\nexport default undici`
      }
    })
}

/** Defines `require`, which an ES module lacks, for CommonJS libraries. */
const withRequire = {
  js: 'import { createRequire as surety__require } from "node:module"; const require = surety__require(import.meta.url);'
}

const shared: BuildOptions = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  conditions: ["source"],
  // Minifies only syntax, not whitespace or names: Node prints the line of an uncaught error, and profiles show names.
  minifySyntax: true,
  legalComments: "linked",
  charset: "ascii",
  sourcemap: "linked",
  chunkNames: "chunk-[hash]",
  banner: withRequire
}

/**
 * Libraries left out of the bundles. PGlite is a dependency of the packages. The host provides `@opentelemetry/api` if
 * it uses telemetry. Surety's own code loads neither `redis` nor `pg`.
 */
const hosts = ["@electric-sql/pglite", "@opentelemetry/api", "redis", "pg"]

/**
 * Drops the sources of libraries from the source maps, since they would double the package's size. Our own sources
 * stay, so that debuggers can show them.
 */
const withoutForeignSources = (directory: string): void => {
  for (const file of globSync("**/*.map", { cwd: directory })) {
    const map = JSON.parse(readFileSync(path.join(directory, file), "utf8"))
    map.sourcesContent = map.sources.map((source: string, index: number) =>
      source.includes("node_modules") ? null : map.sourcesContent[index]
    )
    writeFileSync(path.join(directory, file), JSON.stringify(map))
  }
}

/**
 * Entry points that are bundled with all their imports except `hosts` and `external`. The bundle is written to
 * `dist/published`, or to `directory` below it.
 */
export interface Bundle {
  readonly entryPoints: Readonly<Record<string, string>>
  readonly directory?: string
  readonly external?: ReadonlyArray<string>
}

/**
 * Writes the published JavaScript of a package that contains its libraries (docs/decisions/32-published-embed.md), and
 * the guides. Dynamically imported modules go into chunks that load on demand.
 */
export const publishBundles = async (...bundles: ReadonlyArray<Bundle>): Promise<void> => {
  const published = path.resolve("dist/published")
  rmSync(published, { recursive: true, force: true })
  for (const { directory = ".", entryPoints, external = [] } of bundles) {
    const outdir = path.join(published, directory)
    const guides = `./${path.join(path.relative(outdir, published), "site.json")}`
    await build({
      ...shared,
      entryPoints: { ...entryPoints },
      outdir,
      external: [...hosts, ...external],
      plugins: [guidesIn(guides), withoutSwagger, undiciNames]
    })
  }
  withoutForeignSources(published)
  copyFileSync("../http/dist/site.json", path.join(published, "site.json"))
}
