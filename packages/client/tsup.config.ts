import { build } from "esbuild"
import { bundledBuild } from "../../tsup.bundled.js"

/** The command: one file for Node, which no importer of the package loads. */
const buildCommand = () =>
  build({
    entryPoints: ["src/cli/main.ts"],
    outfile: "dist/cli.js",
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    banner: { js: "#!/usr/bin/env node" }
  })

export default bundledBuild(["src/index.ts"], buildCommand)
