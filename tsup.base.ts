import { copyFileSync, globSync, mkdirSync } from "node:fs"
import path from "node:path"
import { defineConfig } from "tsup"

/**
 * Copies assets, such as SQL and HTML, unchanged for reading at run time. An asset is any file in `src` with an
 * extension, except TypeScript, hidden files and an editor's backups (`*~`).
 */
export const copyAssets = (): void => {
  for (const asset of globSync("src/**/*.*", { exclude: ["**/*.ts", "**/.*", "**/*~"] })) {
    const target = path.join("dist", path.relative("src", asset))
    mkdirSync(path.dirname(target), { recursive: true })
    copyFileSync(asset, target)
  }
}

/**
 * Builds a package's JavaScript: one ES module in `dist` per file in `src`, with nothing bundled. Cleaning keeps the
 * declarations and the build information, which come from `tsc`.
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
