import { defineConfig } from "tsup"

/** Builds one ES module that pages import directly, without a bundler. */
export default defineConfig({
  entry: ["src/index.ts"],
  tsconfig: "tsconfig.src.json",
  format: ["esm"],
  target: "es2022",
  platform: "browser",
  splitting: false,
  sourcemap: true,
  dts: false,
  clean: ["!**/*.d.ts", "!**/*.d.ts.map", "!*.tsbuildinfo"]
})
