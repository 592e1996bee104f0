import { Result } from "effect"
import { type Problem, problem } from "../problem/Problem.js"
import { type Excess, JsonScan, maxParts, type Scanned } from "./JsonScan.js"
import { Utf8Pieces } from "./Utf8Pieces.js"

const excessProblem = (excess: Excess): Problem =>
  excess === "too_deep"
    ? problem("json_too_deep")
    : problem("invalid_json", { detail: `The body has more than ${maxParts} fields and items.` })

const notUtf8 = (): Problem => problem("invalid_json", { detail: "The body is not valid UTF-8." })

/**
 * A text whose depth and number of parts are within bounds. Only such a text is parsed, so no value is built from one
 * that exceeds them.
 */
export class BoundedText {
  readonly text: string
  readonly scanned: Scanned

  private constructor(text: string, scanned: Scanned) {
    this.text = text
    this.scanned = scanned
  }

  /** Scans a whole text. */
  static of(text: string): Result.Result<BoundedText, Problem> {
    const scan = new JsonScan()
    const excess = scan.add(text)
    return excess === undefined
      ? Result.succeed(new BoundedText(text, scan.scanned))
      : Result.fail(excessProblem(excess))
  }

  /** Reads UTF-8 piece by piece and keeps none of the bytes. Each piece is scanned as it arrives. */
  static reader(): BoundedTextReader {
    const pieces = new Utf8Pieces()
    const scan = new JsonScan()
    return {
      add: (bytes) =>
        Result.flatMap(Result.try({ try: () => pieces.add(bytes), catch: notUtf8 }), (text) => {
          const excess = scan.add(text)
          return excess === undefined ? Result.succeed(undefined) : Result.fail(excessProblem(excess))
        }),
      end: () =>
        Result.map(
          Result.try({ try: () => pieces.end(), catch: notUtf8 }),
          (text) => new BoundedText(text, scan.scanned)
        )
    }
  }
}

/** Takes a text's bytes as they arrive. Fails as soon as they are not UTF-8 or exceed a bound. */
export interface BoundedTextReader {
  readonly add: (bytes: Uint8Array) => Result.Result<undefined, Problem>
  readonly end: () => Result.Result<BoundedText, Problem>
}
