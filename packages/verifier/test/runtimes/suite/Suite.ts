import type { Case, Subject, Vector } from "./Case.js"
import { genuineCases, vectorCases } from "./genuineCases.js"
import { handlerCases } from "./handlerCases.js"
import { refusedCases } from "./refusedCases.js"
import { signCases } from "./signCases.js"
import { storeCases } from "./storeCases.js"

export interface SuiteReport {
  readonly passed: ReadonlyArray<string>
  readonly failed: ReadonlyArray<{ readonly name: string; readonly message: string }>
}

/** Returns the cases that must pass in all runtimes. */
export const suite = (vectors: ReadonlyArray<Vector>): ReadonlyArray<Case> => [
  ...vectorCases(vectors),
  ...genuineCases,
  ...refusedCases,
  ...handlerCases,
  ...storeCases,
  ...signCases
]

export const runSuite = async (cases: ReadonlyArray<Case>, subject: Subject): Promise<SuiteReport> => {
  const passed: Array<string> = []
  const failed: Array<{ readonly name: string; readonly message: string }> = []
  for (const { name, run } of cases) {
    await run(subject).then(
      () => passed.push(name),
      (error: Error) => failed.push({ name, message: String(error.message) })
    )
  }
  return { passed, failed }
}
