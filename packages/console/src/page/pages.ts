import { auditActionPage, auditPage } from "./audit.js"
import type { ConsolePage } from "./ConsolePage.js"
import { deliveriesPage } from "./deliveries.js"
import { endpointDisablePage, endpointPage } from "./endpoint.js"
import { endpointsPage } from "./endpoints.js"
import { eventPage } from "./event.js"
import { merchantPage } from "./merchant.js"
import {
  merchantActivatePage,
  merchantClosePage,
  merchantReviewPage,
  merchantSettingsPage,
  merchantSuspendPage
} from "./merchantChanges.js"
import { merchantEventsPage, merchantKeyPage } from "./merchantRecords.js"
import { merchantsPage } from "./merchants.js"
import { approvalPage } from "./money/approval.js"
import { approvalsPage } from "./money/approvals.js"
import { ledgerAccountPage, ledgerPage, transferPage } from "./money/ledger.js"
import { ledgerPostPage } from "./money/ledgerPost.js"
import { paymentPage, paymentsPage } from "./money/payments.js"
import { trialBalancePage } from "./money/trialBalance.js"
import { overviewPage } from "./overview.js"
import { blockLiftPage, consentGrantPage, consentRequestPage } from "./person/consentChanges.js"
import { consentLinksPage } from "./person/consentLinks.js"
import { consentDisownedPage, consentGrantsPage, consentRequestsPage } from "./person/consents.js"
import { peoplePage } from "./person/people.js"
import { personPage } from "./person/person.js"
import { personCorrectPage, personExportPage, personRestrictPage } from "./person/personChanges.js"
import { personErasePage } from "./person/personErase.js"
import { receiptPage } from "./person/receipt.js"
import { rightsPage, rightsRequestPage } from "./person/rights.js"
import { verificationPage, verificationsPage } from "./person/verifications.js"
import { refundPage, refundResendPage } from "./refund.js"
import { refundsPage } from "./refunds.js"
import { searchPage } from "./search.js"
import { operatorSessionPage, operatorsPage, settingsPage } from "./settings.js"

/** Every page of an environment. Each is routed by its `path`, so a new page needs only its file and a line here. */
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
  merchantKeyPage,
  merchantEventsPage,
  peoplePage,
  personPage,
  personCorrectPage,
  personRestrictPage,
  personExportPage,
  personErasePage,
  receiptPage,
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
  transferPage,
  trialBalancePage,
  ledgerPostPage,
  approvalsPage,
  approvalPage,
  deliveriesPage,
  eventPage,
  endpointsPage,
  endpointPage,
  endpointDisablePage,
  auditPage,
  auditActionPage,
  settingsPage,
  operatorsPage,
  operatorSessionPage
]
