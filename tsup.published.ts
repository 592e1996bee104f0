import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"
import { type BuildOptions, build, type Plugin } from "esbuild"

/** The guides are a file that is read at run time; `place` is where its copy lies, seen from the bundle. */
const guidesIn = (place: string): Plugin => ({
  name: "guides",
  setup: ({ onLoad }) =>
    onLoad({ filter: /NodeGuides\.ts$/ }, ({ path: file }) => ({
      contents: readFileSync(file, "utf8").replace('"../../dist/site.json"', JSON.stringify(place)),
      loader: "ts"
    }))
})

/**
 * Effect's barrel of HTTP contains Swagger's page beside Scalar's, which is the one that is served: 2 MB that are never
 * used.
 */
const withoutSwagger: Plugin = {
  name: "without-swagger",
  setup: ({ onLoad }) => onLoad({ filter: /internal\/httpApiSwagger\.js$/ }, () => ({ contents: "export {}" }))
}

/** undici is CommonJS: a module that is loaded later exports only the names that it spells out. */
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

/** Libraries written for CommonJS call `require`, which an ES module lacks. */
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
  // Names and lines stay: Node shows the line of an uncaught error, and a profile the functions.
  minifySyntax: true,
  legalComments: "linked",
  charset: "ascii",
  sourcemap: "linked",
  chunkNames: "chunk-[hash]",
  banner: withRequire
}

/** Of the host: optional peers, and the embedded database, which is installed with the package. */
const hosts = ["@electric-sql/pglite", "@opentelemetry/api", "redis", "pg"]

/** Maps carry our sources, by which a debugger shows them; those of libraries would double the package. */
const withoutForeignSources = (directory: string): void => {
  for (const file of globSync("**/*.map", { cwd: directory })) {
    const map = JSON.parse(readFileSync(path.join(directory, file), "utf8"))
    map.sourcesContent = map.sources.map((source: string, index: number) =>
      source.includes("node_modules") ? null : map.sourcesContent[index]
    )
    writeFileSync(path.join(directory, file), JSON.stringify(map))
  }
}

/** Entry points with everything in them but what `external` names, in `dist/published` or the directory below it. */
export interface Bundle {
  readonly entryPoints: Readonly<Record<string, string>>
  readonly directory?: string
  readonly external?: ReadonlyArray<string>
}

/**
 * Writes what a package with its libraries inside publishes (docs/decisions/32-published-embed.md): the bundles, split
 * into chunks that are loaded when they are used, and the guides beside them.
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
