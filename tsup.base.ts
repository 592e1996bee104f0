import { copyFileSync, globSync, mkdirSync } from "node:fs"
import path from "node:path"
import { defineConfig } from "tsup"

/** What is neither TypeScript nor an editor's leftover is read at run time (SQL, HTML) and goes along as it is. */
export const copyAssets = (): void => {
  for (const asset of globSync("src/**/*.*", { exclude: ["**/*.ts", "**/.*", "**/*~"] })) {
    const target = path.join("dist", path.relative("src", asset))
    mkdirSync(path.dirname(target), { recursive: true })
    copyFileSync(asset, target)
  }
}

/**
 * How every package becomes JavaScript: one ES module in `dist` per file in `src`, nothing bundled.
 * The declarations beside them are `tsc`'s, so cleaning leaves those and its build information alone.
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
