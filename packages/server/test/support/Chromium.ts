import * as MachineChromium from "@surety/testing/machine/MachineChromium"
import { Effect } from "effect"
import { chromium } from "playwright-core"

export const browser = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launch({
      executablePath: MachineChromium.findShell(process.env),
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-quic"]
    })
  ),
  (opened) => Effect.promise(() => opened.close())
)
