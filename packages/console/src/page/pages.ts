import type { ConsolePage } from "./ConsolePage.js"
import { deliveriesPage } from "./deliveries.js"
import { endpointDisablePage, endpointPage } from "./endpoint.js"
import { eventPage } from "./event.js"
import { merchantPage } from "./merchant.js"
import {
  merchantActivatePage,
  merchantClosePage,
  merchantReviewPage,
  merchantSettingsPage,
  merchantSuspendPage
} from "./merchantChanges.js"
import { merchantsPage } from "./merchants.js"
import { overviewPage } from "./overview.js"
import { refundPage, refundResendPage } from "./refund.js"
import { refundsPage } from "./refunds.js"
import { searchPage } from "./search.js"

/** Every page of an environment, by its address. A new page is one file and one line here. */
export const pages: ReadonlyArray<ConsolePage> = [
  overviewPage,
  searchPage,
  merchantsPage,
  merchantPage,
  merchantReviewPage,
  merchantSuspendPage,
  merchantActivatePage,
  merchantClosePage,
  merchantSettingsPage,
  refundsPage,
  refundPage,
  refundResendPage,
  deliveriesPage,
  eventPage,
  endpointPage,
  endpointDisablePage
]
