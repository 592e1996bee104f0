import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.js"
import { CurrentPrincipal } from "../access/MerchantAccess.js"
import { Exchange } from "../Exchange.js"
import { whoami } from "./whoami.js"

export const layer = HttpApiBuilder.group(Api, "account", (handlers) =>
  handlers.handle("whoami", () => Effect.zipWith(CurrentPrincipal, Exchange, whoami))
)
