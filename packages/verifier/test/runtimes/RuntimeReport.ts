import type { Subject, Vector } from "./suite/Case.js"
import { runSuite, type SuiteReport, suite } from "./suite/Suite.js"

/** What the suite found in a runtime, and what the runtime is. */
export interface RuntimeReport extends SuiteReport {
  /** The globals of this runtime that Node has and the web platform lacks. */
  readonly nodeGlobals: ReadonlyArray<string>
  /** Whether the package got its HMAC from the runtime's `node:crypto`. */
  readonly usedNodeCrypto: boolean
}

/** Put in place by the bundler. */
declare const KNOWN_ANSWERS: ReadonlyArray<Vector>

/**
 * Runs the suite in the calling runtime. `asked` has the modules that the package requested by
 * `process.getBuiltinModule`.
 */
export const reportOn = async (subject: Subject): Promise<RuntimeReport> => {
  const asked = watchBuiltins()
  const nodeGlobals = ["process", "Buffer", "require", "setImmediate"].filter((name) => name in globalThis)
  const report = await runSuite(suite(KNOWN_ANSWERS), subject)
  return { ...report, nodeGlobals, usedNodeCrypto: asked.has("node:crypto") }
}

const watchBuiltins = (): ReadonlySet<string> => {
  const asked = new Set<string>()
  if (typeof process === "undefined" || typeof process.getBuiltinModule !== "function") return asked
  const original = process.getBuiltinModule.bind(process)
  const watched = (name: string): unknown => {
    const found: unknown = original(name)
    if (found !== undefined) asked.add(name)
    return found
  }
  Object.assign(process, { getBuiltinModule: watched })
  return asked
}
