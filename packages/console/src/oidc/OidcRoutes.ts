import { Effect } from "effect"
import type { ConsoleKit } from "../serve/ConsoleKit.js"

export const addOidcRoutes = (_kit: ConsoleKit) => Effect.void
