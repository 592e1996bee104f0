import type { ConsolePage } from "./ConsolePage.js"
import { overviewPage } from "./overview.js"
import { refundsPage } from "./refunds.js"

/** Every page of an environment, by its address. A new page is one file and one line here. */
export const pages: ReadonlyArray<ConsolePage> = [
  overviewPage,
  refundsPage
]
