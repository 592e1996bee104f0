import type { Subject, Vector } from "./suite/Case.js"
import { runSuite, type SuiteReport, suite } from "./suite/Suite.js"

export interface RuntimeReport extends SuiteReport {
  /** Which of `process`, `Buffer`, `require` and `setImmediate` are global in this runtime. */
  readonly nodeGlobals: ReadonlyArray<string>
  /** True if the package requested `node:crypto` for its HMAC and the runtime provided it. */
  readonly usedNodeCrypto: boolean
}

/** The known-answer tests. The bundler replaces this name with their data (`define` in `bundle.ts`). */
declare const KNOWN_ANSWERS: ReadonlyArray<Vector>

/**
 * Runs the suite in the calling runtime, and watches which modules the package requests through
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
