import type { Seed } from "../Measured.ts"

/** Body limits of `/v1/kyc/verifications` and of `/v1/refunds`, in bytes (contract 13). */
const largeBytes = 16 * 1024 * 1024
const smallBytes = 256 * 1024

/** A body chosen to be expensive, with its expected status and its CPU time limit in milliseconds. */
export interface HostileBody {
  readonly name: string
  readonly path: "/v1/kyc/verifications" | "/v1/refunds"
  readonly make: (seed: Seed) => Buffer
  readonly status: number
  readonly goalMillis: number
}

const upTo = (bytes: number, before: string, unit: string, after: string): Buffer => {
  const count = Math.floor((bytes - Buffer.byteLength(before + after)) / Buffer.byteLength(unit))
  return Buffer.from(before + unit.repeat(count) + after)
}

const many = (count: number, of: (index: number) => string): string =>
  Array.from({ length: count }, (_, n) => of(n)).join(",")

const large = (name: string, make: HostileBody["make"], status = 400): HostileBody => ({
  name: `16 MiB: ${name}`,
  path: "/v1/kyc/verifications",
  make,
  status,
  goalMillis: 150
})

const filled = (before: string, unit: string, after: string) => () => upTo(largeBytes, before, unit, after)

/**
 * Builds a function that returns a body of up to 16 MiB. Its `units` are in pseudo-random order, which defeats the
 * processor's branch prediction. Every run uses the same order.
 */
const inNoOrder = (before: string, units: ReadonlyArray<string>, after: string) => (): Buffer => {
  const parts = [before]
  let random = 1
  for (let left = largeBytes - Buffer.byteLength(before + after); ; ) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
    const unit = units[Math.floor((random / 2 ** 32) * units.length)] ?? ""
    left -= Buffer.byteLength(unit)
    if (left < 0) return Buffer.from(`${parts.join("")}${after}`)
    parts.push(unit)
  }
}

const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49]).toString("base64")

/**
 * Builds a function that returns a verification's body. Its selfie has 12,000,000 characters, the maximum, and ends
 * with `end`.
 */
const selfie =
  (end = "") =>
  ({ serviceId }: Seed): Buffer =>
    Buffer.from(
      JSON.stringify({
        service_id: serviceId,
        kind: "bvn",
        id: "22222222222",
        verification_consent: true,
        validation: { selfie: `${jpeg.padEnd(12_000_000 - [...end].length, "A")}${end}` }
      })
    )

export const bodies: ReadonlyArray<HostileBody> = [
  large("8 Mi [ then 8 Mi ]", () => Buffer.from("[".repeat(largeBytes / 2) + "]".repeat(largeBytes / 2))),
  large("objects in objects", filled("", '{"a":', "")),
  large("1.3 million fields", () => Buffer.from(`{${many(1_300_000, (n) => `"${n}":0`)}}`)),
  large("8 million items", filled("[0", ",0", "]")),
  large("5 million empty lists", filled("[[]", ",[]", "]")),
  large("one string of escaped NUL", filled('{"a":"', "\\u0000", '"}')),
  large("one string of escaped quotes", filled('{"a":"', '\\"', '"}')),
  large("one string of backslashes", filled('{"a":"', "\\\\", '"}')),
  large("one string of letters and escaped quotes in no order", inNoOrder('{"a":"', ["a", '\\"'], '"}')),
  large(
    "one string of characters and escapes in no order",
    inNoOrder('{"a":"', ["a", "ọ", "😀", "\\n", "\\u1ecd"], '"}')
  ),
  large("one string without an end", filled('{"a":"', "a", "")),
  large("one string of three-byte characters", filled('{"a":"', "ọ", '"}')),
  large("one string with an emoji at its end", filled('{"a":"', "a", '😀"}')),
  large("one number of 16 million digits", filled('{"a":', "9", "}")),
  large("one number of 16 million zeros", filled('{"a":1.', "0", "1}")),
  large("9,990 numbers of 1,600 digits", () => Buffer.from(`[${many(9_990, () => "7".repeat(1_600))}]`)),
  large("9,990 fields with names of 1,600 characters", () =>
    Buffer.from(`{${many(9_990, (n) => `"${"n".repeat(1_600)}${n}":0`)}}`)
  ),
  large("9,990 strings of escaped NUL", () => Buffer.from(`[${many(9_990, () => `"${"\\u0000".repeat(270)}"`)}]`)),
  large("one field with a name of 16 MiB", filled('{"', "n", '":0}')),
  large("white space", filled("", " ", "")),
  large("the largest selfie", selfie(), 201),
  large("the largest selfie with an emoji at its end", selfie("😀"), 201),
  large("the largest selfie with an escape and an emoji at its end", selfie("\n😀"), 201),
  large("a first name with an emoji at its end", filled('{"validation":{"first_name":"', "a", '😀"}}')),
  large("a consent with an emoji at its end", filled('{"verification_consent":"', "a", '😀"}')),
  large("a selfie of escapes and an emoji, too long", filled('{"validation":{"selfie":"\\n', "a", '😀"}}')),
  large(
    "a selfie of characters and escapes in no order",
    inNoOrder('{"validation":{"selfie":"', ["a", "ọ", "😀", "\\n", "\\u1ecd"], '"}}')
  ),
  large("9,990 strings with an emoji at their end", () =>
    Buffer.from(`[${many(9_990, () => `"${"a".repeat(1_670)}😀"`)}]`)
  ),
  {
    name: "256 KiB: 9,000 unknown fields",
    path: "/v1/refunds",
    make: () => Buffer.from(`{${many(9_000, (n) => `"unknown_field_${n}":0`)}}`),
    status: 400,
    goalMillis: 6
  },
  {
    name: "256 KiB: lists in lists",
    path: "/v1/refunds",
    make: () => upTo(smallBytes, "", "[", ""),
    status: 400,
    goalMillis: 6
  }
]
