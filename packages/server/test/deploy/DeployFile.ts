import { readFileSync } from "node:fs"
import path from "node:path"

/** The workspace's root. */
export const root = path.resolve(import.meta.dirname, "../../../..")

/** Where a file of `deploy` is. */
export const deployFile = (name: string): string => path.join(root, "deploy", name)

/** Its text. */
export const readDeployFile = (name: string): string => readFileSync(deployFile(name), "utf8")
