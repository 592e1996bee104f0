import { acceptedCoding } from "@surety/http/static/acceptedCoding"
import { expect, it } from "vitest"

const offered = ["br", "gzip"] as const

it.each([
  [undefined, undefined],
  ["", undefined],
  ["gzip", "gzip"],
  ["br", "br"],
  ["gzip, deflate, br, zstd", "br"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["br;q=0.5, gzip;q=0.8", "gzip"],
  ["br; q=1.0 , gzip;q=0.8", "br"],
  ["br;q=0, gzip", "gzip"],
  ["br;q=0, gzip;q=0", undefined],
  ["br;q=0", undefined],
  ["*", "br"],
  ["*;q=0", undefined],
  ["br;q=0, *", "gzip"],
  ["*;q=0.1, gzip;q=0.2", "gzip"],
  ["identity", undefined],
  ["identity;q=1, br;q=0.5", undefined],
  ["identity;q=0.5, gzip;q=0.9", "gzip"],
  ["identity, gzip", "gzip"],
  ["identity;q=0", undefined],
  ["deflate, zstd", undefined],
  ["gzip;q=2", undefined],
  ["gzip;q=0.1234", undefined],
  [";;;, gzip;level=9, br", "br"]
])("Accept-Encoding: %s is answered as %s", (field, coding) => {
  expect(acceptedCoding(field, offered)).toBe(coding)
})
