import { faultCodes } from "@surety/core/input/InputFault"
import { problemCodes } from "../problem/ProblemCode.js"

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;")

const row = (...cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const problemRows = Object.entries(problemCodes).map(([code, { advice, status, title }]) =>
  row(`\`${code}\``, String(status), cell(title), cell(advice))
)

const faultRows = Object.entries(faultCodes).map(([code, meaning]) => row(`\`${code}\``, cell(meaning)))

/** The content of `docs/errors.md`: tables of all problem and fault codes. */
export const errorsDocument = `# Errors

Every error response is \`application/problem+json\` (RFC 9457). \`code\` is stable: branch on it, show \`title\` or \`detail\`
to people, and quote \`requestId\` when you report a problem. Generated from the table of codes.

| code | status | title | what to do |
|---|---|---|---|
${problemRows.join("\n")}

## Faults in \`errors\`

\`errors\` lists every fault of a request, with its place: \`pointer\` in the body, \`parameter\` or \`header\`. A fault has a
code from the table above or from this one. If a request has one fault, with a code from the table above, that is the problem's
\`code\`. Otherwise the problem's \`code\` is \`validation_failed\`.

| code | meaning |
|---|---|
${faultRows.join("\n")}
`
