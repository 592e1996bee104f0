import { approvalPage, approvalsPage } from "./approvals.js"
import { auditPage } from "./audit.js"
import type { ConsolePage } from "./ConsolePage.js"
import { blockLiftPage, consentGrantPage, consentRequestPage } from "./consentChanges.js"
import { consentDisownedPage, consentGrantsPage, consentLinksPage, consentRequestsPage } from "./consents.js"
import { deliveriesPage } from "./deliveries.js"
import { endpointDisablePage, endpointPage } from "./endpoint.js"
import { eventPage } from "./event.js"
import { ledgerAccountPage, ledgerPage, trialBalancePage } from "./ledger.js"
import { ledgerPostPage } from "./ledgerPost.js"
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
import { paymentPage, paymentsPage } from "./payments.js"
import { peoplePage } from "./people.js"
import { personPage } from "./person.js"
import { personCorrectPage, personErasePage, personExportPage, personRestrictPage } from "./personChanges.js"
import { refundPage, refundResendPage } from "./refund.js"
import { refundsPage } from "./refunds.js"
import { rightsPage, rightsRequestPage } from "./rights.js"
import { searchPage } from "./search.js"
import { operatorSessionPage, operatorsPage, settingsPage } from "./settings.js"
import { verificationPage, verificationsPage } from "./verifications.js"

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
  peoplePage,
  personPage,
  personCorrectPage,
  personRestrictPage,
  personExportPage,
  personErasePage,
  consentRequestsPage,
  consentRequestPage,
  consentGrantsPage,
  consentGrantPage,
  consentDisownedPage,
  consentLinksPage,
  blockLiftPage,
  rightsPage,
  rightsRequestPage,
  verificationsPage,
  verificationPage,
  paymentsPage,
  paymentPage,
  refundsPage,
  refundPage,
  refundResendPage,
  ledgerPage,
  ledgerAccountPage,
  trialBalancePage,
  ledgerPostPage,
  approvalsPage,
  approvalPage,
  deliveriesPage,
  eventPage,
  endpointPage,
  endpointDisablePage,
  auditPage,
  settingsPage,
  operatorsPage,
  operatorSessionPage
]
