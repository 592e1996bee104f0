export interface Count {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The fields that this script uses from the report of Vitest's `json` reporter. */
export interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: ReadonlyArray<FileReport>
}

interface FileReport {
  /** The file's path. */
  readonly name: string
  readonly status: string
  readonly assertionResults: ReadonlyArray<{
    readonly status: string
    readonly failureMessages?: ReadonlyArray<string>
  }>
}

/**
 * Counts a run's tests by result. A failed file without any test counts as one failure. An unsuccessful run counts at
 * least one failure.
 */
export const countReport = (report: Report, succeeded: boolean): Count => {
  const unloadable = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0)
  const failed = report.numFailedTests + unloadable.length
  return {
    passed: report.numPassedTests,
    failed: succeeded ? failed : Math.max(1, failed),
    skipped: report.numPendingTests + report.numTodoTests
  }
}

/**
 * Returns the number of errors outside all tests, from the report of Vitest's `junit` reporter. Throws if the report
 * does not state it.
 */
export const errorsOutsideTests = (junit: string): number => {
  const count = /<testsuites [^>]*\berrors="(\d+)"/u.exec(junit)?.[1]
  if (count === undefined) throw new Error("The JUnit report states no number of errors.")
  return Number(count)
}

/** Maximum number of failed files to repeat. If more files failed, a busy machine is unlikely to be the cause. */
const mostFilesRunAgain = 3

/**
 * Patterns for the files and messages of failures that depend on one random schedule, crash or value. Another run would
 * try others, so its success would prove nothing.
 */
const findings = { file: /simulation|histor|kills|races?\b|underLoad/iu, message: /falsified|--seed|invariant/iu }

const isFinding = ({ name, assertionResults }: FileReport): boolean =>
  findings.file.test(name) ||
  assertionResults.some(({ failureMessages = [] }) => failureMessages.some((message) => findings.message.test(message)))

/**
 * Returns the failed files of a run, so that they can be repeated alone. If they pass alone, a busy machine was the
 * likely cause. Returns none if more than `mostFilesRunAgain` files failed, or if a file failed without a failed test.
 * Also returns none if there were errors outside all tests, or if a failure matches `findings`.
 */
export const filesToRunAgain = (report: Report, errorsOutside: number): ReadonlyArray<string> => {
  const failed = report.testResults.filter(({ status }) => status === "failed")
  const isWorthwhile =
    errorsOutside === 0 &&
    failed.length <= mostFilesRunAgain &&
    !failed.some((file) => isFinding(file) || file.assertionResults.every(({ status }) => status !== "failed"))
  return isWorthwhile ? failed.map(({ name }) => name) : []
}

export const closingLine = ({ passed, failed, skipped }: Count): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`
