import * as MachineChromium from "@surety/testing/machine/MachineChromium"
import { Effect } from "effect"
import { chromium } from "playwright-core"

const executablePath = MachineChromium.findOrSay(process.env)

/** Whether there is a browser to test in. */
export const isThere = executablePath !== undefined

/** A browser that is closed with the scope. */
export const browser = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-quic"]
    })
  ),
  (opened) => Effect.promise(() => opened.close())
)
