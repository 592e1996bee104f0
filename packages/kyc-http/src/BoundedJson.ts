import { Option, Schema } from "effect"
import { isBoundedJson } from "./isBoundedJson.js"

const decoder = new TextDecoder("utf-8", { fatal: true })

const decodeText = (bytes: Uint8Array): Option.Option<string> => Option.liftThrowable(() => decoder.decode(bytes))()

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/**
 * Parses UTF-8 JSON with a depth of at most 64 and at most 100,000 opening brackets and commas. Checks these limits
 * before parsing, which takes sixty bytes of memory per bracket. Returns `None` if the bytes exceed a limit or are not
 * valid UTF-8 JSON.
 */
export const parse = (bytes: Uint8Array): Option.Option<unknown> =>
  decodeText(bytes).pipe(Option.filter(isBoundedJson), Option.flatMap(decodeJson))
