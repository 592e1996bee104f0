import { chmod } from "node:fs/promises"
import { build } from "esbuild"
import { bundledBuild } from "../../tsup.bundled.js"

/** Builds the client CLI as one file for Node. Importing the package never loads that file. */
const buildCommand = async (): Promise<void> => {
  const outfile = "dist/cli/main.js"
  await build({
    entryPoints: ["src/cli/main.ts"],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    banner: { js: "#!/usr/bin/env node" }
  })
  await chmod(outfile, 0o755)
}

export default bundledBuild(["src/index.ts"], buildCommand)
