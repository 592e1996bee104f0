import { copyFileSync, globSync, mkdirSync } from "node:fs"
import path from "node:path"
import { defineConfig } from "tsup"

/**
 * Copies assets unchanged: everything that is neither TypeScript nor an editor's leftover, such as SQL and HTML, is
 * read at run time.
 */
export const copyAssets = (): void => {
  for (const asset of globSync("src/**/*.*", { exclude: ["**/*.ts", "**/.*", "**/*~"] })) {
    const target = path.join("dist", path.relative("src", asset))
    mkdirSync(path.dirname(target), { recursive: true })
    copyFileSync(asset, target)
  }
}

/**
 * Builds a package's JavaScript: one ES module in `dist` per file in `src`, with nothing bundled. The declarations next
 * to them come from `tsc`, so cleaning keeps those and its build information.
 */
export const packageBuild = defineConfig({
  entry: ["src/**/*.ts"],
  tsconfig: "tsconfig.src.json",
  format: "esm",
  target: "node22",
  platform: "node",
  bundle: false,
  splitting: false,
  sourcemap: true,
  dts: false,
  removeNodeProtocol: false,
  clean: ["!**/*.d.ts", "!**/*.d.ts.map", "!*.tsbuildinfo"],
  onSuccess: async () => copyAssets()
})
