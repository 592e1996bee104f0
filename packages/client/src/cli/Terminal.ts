/** Where a command reads and writes. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** A line of standard output. */
  readonly print: (line: string) => void
  /** A line of standard error. */
  readonly printError: (line: string) => void
  /** Whether output is in colour. */
  readonly colours: boolean
  /** Calls back with each key that is pressed, until the returned function is called. Absent without a keyboard. */
  readonly onKey: ((listener: (key: string) => void) => () => void) | undefined
  /** Aborted when the person or the system ends the command. */
  readonly signal: AbortSignal
}

/** A command failed: the message for the person, and the exit code. */
export class CommandFailed extends Error {
  readonly exitCode: number

  /** `exitCode` is 1, or 2 for a command that was typed wrongly. */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

export type Colour = keyof typeof codes

/** Paints a text, or returns it unchanged if the terminal has no colours. */
export const painter =
  (colours: boolean) =>
  (colour: Colour, text: string): string =>
    colours ? `\u001B[${codes[colour]}m${text}\u001B[0m` : text

/** Whether to use colours: only on a terminal, and not if `NO_COLOR` is set (https://no-color.org). */
export const wantsColours = (isTerminal: boolean, env: Terminal["env"]): boolean =>
  isTerminal && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb"

/** A text without secret keys. Everything that a command prints goes through it. */
export const withoutKeys = (text: string): string => text.replaceAll(/\bsk_(test|live)_\w+/gu, "sk_$1_…")

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const controls = /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu

/** Text from outside on one line, without characters that move the cursor or reorder the text. */
export const visible = (text: string, longest = 200): string => {
  const line = text.replaceAll(controls, " ").trim()
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}

/** A value as one line of JSON, in which the characters that `visible` takes out are escaped: a terminal may show it. */
export const jsonLine = (value: object): string =>
  JSON.stringify(value).replaceAll(controls, (found) =>
    Array.from(found, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
  )
