import { readFileSync } from "node:fs"
import path from "node:path"
import { type BuildOptions, build } from "esbuild"
import { packageDirectory } from "../Installed.js"
import type { Vector } from "./suite/Case.js"

const vectorsFile = path.resolve(packageDirectory, "../testing/src/vectors/webhook-signatures.json")

export const { vectors }: { readonly vectors: ReadonlyArray<Vector> } = JSON.parse(readFileSync(vectorsFile, "utf8"))

const bundle = async (entry: string, options: BuildOptions): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, entry)],
    bundle: true,
    define: { KNOWN_ANSWERS: JSON.stringify(vectors) },
    logLevel: "error",
    target: "es2022",
    ...options,
    write: false
  })
  return outputFiles[0]?.text ?? ""
}

/** Bundles the suite and the built package into one file without imports. */
export const bundleForWeb = (entry: "pageEntry.ts" | "workerEntry.ts"): Promise<string> =>
  bundle(entry, {
    format: "esm",
    platform: "neutral",
    alias: {
      "@surety/verifier": path.join(packageDirectory, "dist/index.js"),
      "@surety/verifier/testing": path.join(packageDirectory, "dist/testing.js")
    }
  })

/** Bundles only the suite. Node itself resolves the package, by `import` or `require`. */
export const bundleForNode = (format: "esm" | "cjs"): Promise<string> =>
  bundle("nodeEntry.ts", { format, platform: "node", external: ["@surety/*"] })
