import { Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { Exchange } from "../Exchange.js"
import { whoami } from "./whoami.js"

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "account">,
  never,
  MerchantAccess
> = HttpApiBuilder.group(Api, "account", (handlers) =>
  handlers.handle("whoami", () => Effect.zipWith(CurrentPrincipal, Exchange, whoami))
)
