import type { PrivacyNotice } from "@surety/core/consent/grant/ConsentPolicy"
import type { Manager } from "@surety/core/consent/link/ManagementLinks"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { ReceiptSigner } from "@surety/core/consent/receipt/ReceiptSigner"
import { GrantId, MerchantId, ReceiptId } from "@surety/core/Ids"
import { privateHeaders } from "@surety/page-kit/PageAnswers"
import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { manageScreen } from "../screen/ManageScreen.js"
import { readsScreen } from "../screen/ReadsScreen.js"
import { downloadOf, receiptBody, receiptScreen, receiptsScreen } from "../screen/ReceiptScreens.js"
import type { Admissions, CodePages } from "./Admissions.js"
import { answering, type PageFailed, type PageKit, readPageForm, type Visited } from "./PageKit.js"
import { paths } from "./paths.js"

type Response = HttpServerResponse.HttpServerResponse

const shownAtOnce = 25

const unknown = { _tag: "ConsentLinkUnknown" } as const

/**
 * Adds the page that shows a person's consents (`GET`) and revokes them (`POST`). Also adds the pages for codes, reads
 * and receipts.
 */
export const addManageRoutes = Effect.fnUntraced(function* (kit: PageKit, admissions: Admissions) {
  const router = yield* HttpRouter.HttpRouter
  const person = yield* PersonConsents
  const signer = yield* ReceiptSigner

  const pageOf = ({ request }: Visited) => ({
    limit: shownAtOnce,
    cursor: kit.queryOf(request).get("cursor") ?? undefined
  })

  const linked = ({ query, token }: Visited, template: string, more: Readonly<Record<string, string>> = {}): string => {
    const params = new URLSearchParams([...new URLSearchParams(query), ...Object.entries(more)]).toString()
    return kit.hrefOf(template, token, params === "" ? "" : `?${params}`)
  }

  const older = (visit: Visited, template: string, cursor: string | undefined): string | undefined =>
    cursor === undefined ? undefined : linked(visit, template, { cursor })

  const pagesOf = (visit: Visited): CodePages => ({
    codeHref: linked(visit, paths.manageCode),
    pageHref: linked(visit, paths.manage)
  })

  const forManager = (draw: (visit: Visited, manager: Manager) => Effect.Effect<Response, PageFailed>) =>
    answering(kit, (visit) =>
      Effect.flatMap(person.open(visit.token), (manager) =>
        admissions.admitted(visit, manager, pagesOf(visit), draw(visit, manager))
      )
    )

  const showGrants = Effect.fnUntraced(function* (visit: Visited, manager: Manager) {
    const grants = yield* person.grants(manager, pageOf(visit))
    const active = grants.data.map(({ record }) => record).filter(({ status }) => status === "ACTIVE")
    const done = kit.queryOf(visit.request).get("done") ?? ""
    const screen = manageScreen(visit.frame, {
      isTest: manager.environment === "TEST",
      grants: grants.data,
      lastReads: yield* person.lastReads(manager, active),
      guard: yield* kit.guardField(visit),
      hrefs: {
        action: linked(visit, paths.manage),
        reads: linked(visit, paths.reads),
        readsOf: (merchantId) => linked(visit, paths.reads, { of: merchantId }),
        receipts: linked(visit, paths.receipts),
        rights: linked(visit, paths.rights),
        older: older(visit, paths.manage, grants.nextCursor)
      },
      linkExpiresAt: manager.expiresAt,
      revoked: /^\d{1,6}$/u.test(done) ? Number(done) : undefined
    })
    return kit.drawIn(visit, screen)
  })

  const revokeOne = (manager: Manager, id: string, notice: PrivacyNotice) =>
    Effect.gen(function* () {
      const grantId = Schema.decodeUnknownOption(GrantId)(id)
      if (Option.isNone(grantId)) return 0
      yield* person.revoke(manager, grantId.value, notice)
      return 1
    }).pipe(Effect.catchTag("GrantNotFound", () => Effect.succeed(0)))

  const revoke = Effect.fnUntraced(function* (visit: Visited, manager: Manager) {
    const form = yield* readPageForm(kit, visit)
    const { language, version } = visit.catalog
    const notice = { version, language }
    const asked = form.first("revoke") ?? ""
    const revoked = yield* asked === "all" ? person.revokeAll(manager, notice) : revokeOne(manager, asked, notice)
    return kit.seeOther(linked(visit, paths.manage, { done: String(revoked) }))
  })

  /** Limits the manager to the merchant `of`, if given. A link for one merchant keeps its own limit. */
  const narrowed = (manager: Manager, of: MerchantId | undefined): Manager =>
    of === undefined || manager.merchantId !== undefined ? manager : { ...manager, merchantId: of }

  const showReads = Effect.fnUntraced(function* (visit: Visited, manager: Manager) {
    const of = Option.getOrUndefined(Schema.decodeUnknownOption(MerchantId)(kit.queryOf(visit.request).get("of")))
    const { data, nextCursor } = yield* person.reads(narrowed(manager, of), pageOf(visit))
    const screen = readsScreen(visit.frame, {
      isTest: manager.environment === "TEST",
      reads: data,
      of: of === undefined ? undefined : data[0]?.controller,
      hrefs: {
        back: linked(visit, paths.manage),
        older:
          nextCursor === undefined
            ? undefined
            : linked(visit, paths.reads, { ...(of === undefined ? {} : { of }), cursor: nextCursor })
      }
    })
    return kit.drawIn(visit, screen)
  })

  const showReceipts = Effect.fnUntraced(function* (visit: Visited, manager: Manager) {
    const { data, nextCursor } = yield* person.receipts(manager, pageOf(visit))
    const screen = receiptsScreen(visit.frame, {
      isTest: manager.environment === "TEST",
      receipts: data.map((receipt) => ({
        receipt,
        href: linked(visit, paths.receipt.replace(":receiptId", receipt.id))
      })),
      hrefs: { back: linked(visit, paths.manage), older: older(visit, paths.receipts, nextCursor) }
    })
    return kit.drawIn(visit, screen)
  })

  /**
   * Finds the receipt with this id. Fails with `ConsentLinkUnknown` if it does not exist or the manager may not see it.
   */
  const receiptAt = Effect.fnUntraced(function* (manager: Manager, name: string | undefined) {
    const id = Schema.decodeUnknownOption(ReceiptId)(name)
    const found = Option.isNone(id) ? Option.none() : yield* person.receipt(manager, id.value)
    return Option.isNone(found) ? yield* Effect.fail(unknown) : found.value
  })

  const withReceipt = (
    draw: (visit: Visited, receipt: Effect.Success<ReturnType<typeof receiptAt>>) => Effect.Effect<Response>
  ) =>
    HttpRouter.params.pipe(
      Effect.map(({ receiptId }) =>
        forManager((visit, manager) => Effect.flatMap(receiptAt(manager, receiptId), (receipt) => draw(visit, receipt)))
      )
    )

  const showReceipt = withReceipt((visit, receipt) =>
    Effect.sync(() =>
      kit.drawIn(
        visit,
        receiptScreen(visit.frame, {
          receipt,
          hrefs: {
            back: linked(visit, paths.manage),
            download: linked(visit, paths.download.replace(":receiptId", receipt.id)),
            check: kit.hrefOf(paths.check, visit.token)
          }
        })
      )
    )
  )

  const download = withReceipt((_, receipt) =>
    Effect.map(signer.sign(receipt), (jws) =>
      HttpServerResponse.text(downloadOf(receipt, jws), {
        contentType: "application/json",
        headers: {
          ...privateHeaders,
          "content-disposition": `attachment; filename="consent-${receiptBody(receipt).receiptId}.json"`
        }
      })
    )
  )

  const code = answering(kit, (visit) =>
    Effect.flatMap(person.open(visit.token), (manager) => admissions.codeStep(visit, manager, pagesOf(visit)))
  )

  yield* router.add("GET", paths.manage, forManager(showGrants))
  yield* router.add("POST", paths.manage, forManager(revoke))
  yield* router.add("GET", paths.manageCode, forManager(showGrants))
  yield* router.add("POST", paths.manageCode, code)
  yield* router.add("GET", paths.reads, forManager(showReads))
  yield* router.add("GET", paths.receipts, forManager(showReceipts))
  yield* router.add("GET", paths.receipt, (request) => Effect.flatMap(showReceipt, (route) => route(request)))
  yield* router.add("GET", paths.download, (request) => Effect.flatMap(download, (route) => route(request)))
})
