import { type ParseArgsConfig, parseArgs } from "node:util"
import { readBaseUrl } from "../call/BaseUrl.js"
import { readSecretKey } from "../call/SecretKey.js"
import { UsageError } from "../SuretyError.js"
import { CommandFailed, type Terminal, withoutKeys } from "./Terminal.js"

const defaultBaseUrl = "http://127.0.0.1:3000"

type Options = NonNullable<ParseArgsConfig["options"]>

const shared = {
  "api-key": { type: "string" },
  "base-url": { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" }
} as const satisfies Options

export type Arguments<T extends Options> = ReturnType<
  typeof parseArgs<{ args: Array<string>; options: typeof shared & T; allowPositionals: true; strict: true }>
>

/**
 * Parses a command's arguments. Throws `CommandFailed` with exit code 2 if they are invalid, and redacts keys in its
 * message.
 */
export const readArguments = <const T extends Options>(argv: ReadonlyArray<string>, own: T): Arguments<T> => {
  try {
    return parseArgs({ args: [...argv], options: { ...shared, ...own }, allowPositionals: true, strict: true })
  } catch (error) {
    const [message = ""] = error instanceof Error ? error.message.split(". To specify") : []
    throw new CommandFailed(withoutKeys(message), 2)
  }
}

/** Validated TEST key and base url of a command. */
export interface Access {
  readonly apiKey: string
  readonly baseUrl: string
}

/**
 * Reads the key from `--api-key`, `SURETY_API_KEY` or `SERVICE_API_KEY`, in that order. Reads the base url from
 * `--base-url`, `SURETY_URL` or `SERVICE_URL`, in that order. The quick start uses the `SERVICE_` names. Without a url,
 * uses a local development service. Throws `CommandFailed` with exit code 2 for a missing or LIVE key or an invalid
 * value.
 */
export const readAccess = (
  values: { readonly "api-key"?: string | undefined; readonly "base-url"?: string | undefined },
  env: Terminal["env"]
): Access => {
  const apiKey = values["api-key"] ?? env.SURETY_API_KEY ?? env.SERVICE_API_KEY
  if (apiKey === undefined || apiKey === "") {
    throw new CommandFailed("SURETY_API_KEY is missing. Set it to a TEST key, sk_test_…", 2)
  }
  if (apiKey.startsWith("sk_live_")) {
    throw new CommandFailed("This is a LIVE key. The command takes TEST keys only, sk_test_…: LIVE events are real.", 2)
  }
  try {
    return {
      apiKey: readSecretKey(apiKey),
      baseUrl: readBaseUrl(values["base-url"] ?? env.SURETY_URL ?? env.SERVICE_URL ?? defaultBaseUrl)
    }
  } catch (error) {
    if (error instanceof UsageError) throw new CommandFailed(error.message, 2)
    throw error
  }
}
