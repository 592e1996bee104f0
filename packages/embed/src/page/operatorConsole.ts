import * as Console from "@surety/console/Console"
import { ConsoleSettings, defaultConsoleSettings, type SignInWays } from "@surety/console/ConsoleSettings"
import { hasOperators } from "@surety/http/access/OperatorToken"
import * as StaticContent from "@surety/http/static/StaticContent"
import { AssetServing } from "@surety/page-kit/asset/AssetServing"
import { darkAccentOf } from "@surety/page-kit/look/Palette"
import { Layer } from "effect"
import * as HostOperators from "../host/HostOperators.js"
import type { ReadOptions } from "../readOptions.js"
import type { ConsoleOptions, SuretyOptions } from "../SuretyOptions.js"

const themeOf = ({ accent, accentDark }: ConsoleOptions) => ({
  ...defaultConsoleSettings.theme,
  ...(accent === undefined ? {} : { accent, accentDark: darkAccentOf(accent) }),
  ...(accentDark === undefined ? {} : { accentDark })
})

export const routes = ({ console: asked = "off" }: SuretyOptions, read: ReadOptions) => {
  if (asked === "off") return Layer.empty
  const { name = new URL(read.publicUrl).hostname, operatorOf, timeZone = "UTC", ...looks } = asked
  const signIn: SignInWays = {
    byToken: hasOperators(read),
    byHost: operatorOf === undefined ? undefined : HostOperators.reading(operatorOf)
  }
  return Console.layer.pipe(
    Layer.provide(Layer.succeed(AssetServing, StaticContent.make)),
    Layer.provide(
      Layer.succeed(ConsoleSettings, {
        ...defaultConsoleSettings,
        publicUrl: read.publicUrl,
        basePath: read.basePath,
        platform: name,
        timeZone,
        theme: themeOf(looks),
        signIn
      })
    )
  )
}
