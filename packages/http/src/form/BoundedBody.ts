import { Result } from "effect"
import { type Problem, problem } from "../problem/Problem.js"
import { type Excess, JsonScan, maxParts } from "./JsonScan.js"
import { Utf8Pieces } from "./Utf8Pieces.js"

const excessProblem = (excess: Excess): Problem =>
  excess === "too_deep"
    ? problem("json_too_deep")
    : problem("invalid_json", { detail: `The body has more than ${maxParts} fields and items.` })

const notUtf8 = (): Problem => problem("invalid_json", { detail: "The body is not valid UTF-8." })

const startsWithMark = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** The buffer grows with what has arrived, not with what was declared: by this factor, from `leastRoom` on. */
const growth = 4
const leastRoom = 64 * 1024

/**
 * A body of UTF-8 whose depth and number of parts are within bounds. Only such a body is parsed, so no value is built
 * from one that exceeds them.
 */
export class BoundedBody {
  /** Without a byte order mark. */
  readonly bytes: Uint8Array

  private constructor(bytes: Uint8Array) {
    this.bytes = startsWithMark(bytes) ? bytes.subarray(3) : bytes
  }

  /** Checks a whole body. Keeps `bytes` without a copy. */
  static of(bytes: Uint8Array): Result.Result<BoundedBody, Problem> {
    const scan = new Scan()
    return Result.map(
      Result.flatMap(scan.add(bytes), () => scan.end()),
      () => new BoundedBody(bytes)
    )
  }

  /** Reads a body of up to `mostBytes` piece by piece. Scans and copies each piece as it arrives. */
  static reader(mostBytes: number): BoundedBodyReader {
    const scan = new Scan()
    let room = new Uint8Array(Math.min(leastRoom, mostBytes))
    let length = 0
    return {
      add: (piece) =>
        Result.map(scan.add(piece), () => {
          const needed = length + piece.length
          if (needed > room.length) {
            const larger = new Uint8Array(Math.max(needed, Math.min(growth * room.length, mostBytes)))
            larger.set(room.subarray(0, length))
            room = larger
          }
          room.set(piece, length)
          length = needed
          return undefined
        }),
      end: () => Result.map(scan.end(), () => new BoundedBody(room.subarray(0, length)))
    }
  }
}

/** Reads a body's bytes as they arrive. Fails as soon as they are not UTF-8 or exceed a bound. */
export interface BoundedBodyReader {
  readonly add: (bytes: Uint8Array) => Result.Result<undefined, Problem>
  readonly end: () => Result.Result<BoundedBody, Problem>
}

class Scan {
  readonly #pieces = new Utf8Pieces()
  readonly #scan = new JsonScan()

  add(bytes: Uint8Array): Result.Result<undefined, Problem> {
    return Result.flatMap(Result.try({ try: () => this.#pieces.add(bytes), catch: notUtf8 }), (text) => {
      const excess = this.#scan.add(text)
      return excess === undefined ? Result.succeed(undefined) : Result.fail(excessProblem(excess))
    })
  }

  end(): Result.Result<void, Problem> {
    return Result.try({ try: () => this.#pieces.end(), catch: notUtf8 })
  }
}
