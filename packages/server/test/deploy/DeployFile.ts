import { readFileSync } from "node:fs"
import path from "node:path"

/** Root directory of the workspace. */
export const root = path.resolve(import.meta.dirname, "../../../..")

export const deployFile = (name: string): string => path.join(root, "deploy", name)

export const readDeployFile = (name: string): string => readFileSync(deployFile(name), "utf8")
