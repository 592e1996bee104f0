export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
  readonly colours: boolean
  /**
   * Calls the listener for each character typed, except Ctrl-C and Ctrl-D, until the returned function is called.
   * Undefined if the input is not a terminal.
   */
  readonly onKey: ((listener: (key: string) => void) => () => void) | undefined
  /** Aborted when the command is interrupted, for example by Ctrl-C or `SIGTERM`. */
  readonly signal: AbortSignal
}

export class CommandFailed extends Error {
  readonly exitCode: number

  /** `exitCode` is 2 for a usage error and 1 otherwise. */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

export type Colour = keyof typeof codes

export const painter =
  (colours: boolean) =>
  (colour: Colour, text: string): string =>
    colours ? `\u001B[${codes[colour]}m${text}\u001B[0m` : text

/**
 * Returns true if output should be in colour: on a terminal that is not `dumb`, unless `NO_COLOR` is set
 * (https://no-color.org).
 */
export const wantsColours = (isTerminal: boolean, env: Terminal["env"]): boolean =>
  isTerminal && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb"

/** Redacts secret keys in a string. Every line that a command prints passes through this function. */
export const withoutKeys = (text: string): string => text.replaceAll(/\bsk_(test|live)_\w+/gu, "sk_$1_…")

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const controls = /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu

/**
 * Makes an external string safe to show on one line of a terminal, and cuts it after `longest` characters. Each run of
 * characters that control the terminal, break the line or reorder text becomes a space.
 */
export const visible = (text: string, longest = 200): string => {
  const line = text.replaceAll(controls, " ").trim()
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}

/**
 * Formats a value as one line of JSON that is safe to show on a terminal. The characters that `visible` replaces are
 * escaped.
 */
export const jsonLine = (value: object): string =>
  JSON.stringify(value).replaceAll(controls, (found) =>
    Array.from(found, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
  )
