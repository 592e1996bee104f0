import { Result } from "effect"
import { type Problem, problem } from "../problem/Problem.js"
import { type Excess, JsonScan, maxParts } from "./JsonScan.js"
import { freeBytes } from "./PieceOwner.js"

const excessProblem = (excess: Excess): Problem => {
  switch (excess) {
    case "too_deep":
      return problem("json_too_deep")
    case "too_many_parts":
      return problem("invalid_json", { detail: `The body has more than ${maxParts} fields and items.` })
    case "not_utf8":
      return problem("invalid_json", { detail: "The body is not valid UTF-8." })
  }
}

const scanned = (scan: JsonScan, bytes: Uint8Array): Result.Result<undefined, Problem> => {
  const excess = scan.add(bytes)
  return excess === undefined ? Result.succeed(undefined) : Result.fail(excessProblem(excess))
}

const scannedWhole = (scan: JsonScan): Result.Result<undefined, Problem> =>
  scan.endsWhole ? Result.succeed(undefined) : Result.fail(excessProblem("not_utf8"))

const startsWithMark = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/**
 * Initial buffer size in bytes for a body read in pieces, unless `mostBytes` is less. A body that outgrows it gets a
 * buffer of `mostBytes`. Only the written part of a buffer takes up memory.
 */
const leastRoom = 64 * 1024

/**
 * A UTF-8 body whose depth and number of fields and items are within bounds. Only a bounded body is parsed, so no value
 * is built from a body that exceeds a bound.
 */
export class BoundedBody {
  /** The content, without a byte order mark. */
  readonly bytes: Uint8Array
  readonly #room: Uint8Array | undefined

  /** `room` is the memory allocated for `bytes`, if they were copied. */
  private constructor(bytes: Uint8Array, room?: Uint8Array) {
    this.bytes = startsWithMark(bytes) ? bytes.subarray(3) : bytes
    this.#room = room
  }

  /**
   * Frees the memory of a body that a reader copied, without waiting for the garbage collector. Leaves `bytes` empty. A
   * no-op for a body from `of`.
   */
  free(): void {
    if (this.#room !== undefined) freeBytes(this.#room)
  }

  /** Checks a complete body without copying it. */
  static of(bytes: Uint8Array): Result.Result<BoundedBody, Problem> {
    const scan = new JsonScan()
    return Result.map(
      Result.flatMap(scanned(scan, bytes), () => scannedWhole(scan)),
      () => new BoundedBody(bytes)
    )
  }

  /** Creates a reader for a body of up to `mostBytes`. The reader scans and copies each piece as it arrives. */
  static reader(mostBytes: number): BoundedBodyReader {
    const scan = new JsonScan()
    let room = new Uint8Array(Math.min(leastRoom, mostBytes))
    let length = 0
    return {
      add: (piece) => {
        const added = scanned(scan, piece)
        if (Result.isFailure(added)) {
          freeBytes(room)
          return added
        }
        const needed = length + piece.length
        if (needed > room.length) {
          const larger = new Uint8Array(Math.max(needed, mostBytes))
          larger.set(room.subarray(0, length))
          room = larger
        }
        room.set(piece, length)
        length = needed
        return added
      },
      end: () => Result.map(scannedWhole(scan), () => new BoundedBody(room.subarray(0, length), room))
    }
  }
}

/** Reads a body as its bytes arrive. Fails as soon as they are not UTF-8 or exceed a bound. */
export interface BoundedBodyReader {
  readonly add: (bytes: Uint8Array) => Result.Result<undefined, Problem>
  readonly end: () => Result.Result<BoundedBody, Problem>
}
