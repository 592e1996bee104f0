/** How many tests there were, by how they ended. */
export interface Count {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** What is read of the report that Vitest's own `json` reporter writes. */
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
 * Counts a run that ended with success or without. A file that cannot be loaded has no tests to fail, and an error
 * outside all tests fails none, so each counts as a failure.
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

/** With more failed files than this, a busy machine is not the reason. */
const mostFilesRunAgain = 3

/**
 * A report from such a file or message is about one random schedule, crash or value: another run tries others, so its
 * success would prove nothing.
 */
const findings = { file: /simulation|histor|kills|races?\b|underLoad/iu, message: /falsified|--seed|invariant/iu }

const isFinding = ({ name, assertionResults }: FileReport): boolean =>
  findings.file.test(name) ||
  assertionResults.some(({ failureMessages = [] }) => failureMessages.some((message) => findings.message.test(message)))

/**
 * Which files of a failed run to repeat alone, to tell a busy machine from a fault: none if many failed, if something
 * failed outside every test, or if one reports a random finding.
 */
export const filesToRunAgain = (report: Report): ReadonlyArray<string> => {
  const failed = report.testResults.filter(({ status }) => status === "failed")
  const isWorthwhile =
    failed.length <= mostFilesRunAgain &&
    !failed.some((file) => isFinding(file) || file.assertionResults.every(({ status }) => status !== "failed"))
  return isWorthwhile ? failed.map(({ name }) => name) : []
}

/** `12 passed, 0 failed`, and how many were skipped if any. */
export const closingLine = ({ passed, failed, skipped }: Count): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`
