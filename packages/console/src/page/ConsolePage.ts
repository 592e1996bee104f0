import type { Environment } from "@surety/core/Environment"
import type { OperatorRole } from "@surety/core/operator/Operator"
import type { OperatorSession } from "@surety/core/operator/session/OperatorSession"
import type { StoreError } from "@surety/core/StoreError"
import type { StorePorts } from "@surety/core/StorePorts"
import type { Services } from "@surety/core/Surety"
import type { SentForm } from "@surety/page-kit/form/SentForm"
import type { Html } from "@surety/page-kit/Html"
import type { ZonedTimes } from "@surety/page-kit/words/ZonedTimes"
import { Data, type DateTime, Effect } from "effect"

/** Core services and ports that pages may use. Pages must never run SQL. */
export type ConsoleServices = Services | StorePorts

/** The record or CSV export is missing or may not be shown. The page does not say which. */
export class RecordMissing extends Data.TaggedError("RecordMissing") {}

/** A filter's value is invalid. No list is shown, since it would include records that the filter should exclude. */
export class FilterUnreadable extends Data.TaggedError("FilterUnreadable")<{
  /** Query parameter of the filter. */
  readonly name: string
  readonly value: string
  readonly takes: FilterKind
}> {}

/** Kind of value that a filter accepts: a day such as `2026-01-31`, a complete id, or one of its page's choices. */
export type FilterKind = "day" | "id" | "choice"

export type PageFailure = FilterUnreadable | RecordMissing | StoreError

/** A submitted form was refused. Its page is shown again. */
export class FormRefused extends Data.TaggedError("FormRefused")<{
  /** The problem, as plain text for the operator. */
  readonly message: string
  /** The field to correct. Default: the reason field. */
  readonly field?: string
}> {}

export const recordMissing = () => Effect.fail(new RecordMissing())

/** The page shows the error's message to the operator. */
export const formRefused = ({ message }: { readonly message: string }) => Effect.fail(new FormRefused({ message }))

/** An entry of the side menu, and the pages below it. */
export type Room =
  | "overview"
  | "merchants"
  | "people"
  | "consents"
  | "rights"
  | "verifications"
  | "payments"
  | "refunds"
  | "ledger"
  | "approvals"
  | "deliveries"
  | "audit"
  | "settings"

export interface PageScreen {
  /** First part of the browser window's title, as plain text. */
  readonly title: string
  readonly body: Html
  /** True if a page outside the environments needs more width than a form. */
  readonly isWide?: boolean
}

/** A redirect to another page instead of a screen. For example, a search for a complete id redirects to its record. */
export interface Elsewhere {
  readonly _tag: "Elsewhere"
  /** Path of the page's url, as built by `PageView.href`. */
  readonly href: string
}

/** A refused form or a draft, shown again on its page. */
export interface Refusal {
  readonly form: string
  readonly message: string
  readonly field: string
  /** Returns the text entered in a field, if any. */
  readonly written: (field: string) => string | undefined
  /** True if the form was never processed, because the operator's session had ended. */
  readonly isDraft?: true
}

/** Wraps a refusal so that reading its message sets `said.inForm`, which records that a form displays the message. */
export const sayingIn = (refusal: Refusal, said: { inForm: boolean }): Refusal => ({
  ...refusal,
  get message() {
    said.inForm = true
    return refusal.message
  }
})

/** An operator's request for a page of an environment. */
export interface PageView {
  readonly environment: Environment
  readonly session: OperatorSession
  readonly now: DateTime.Utc
  readonly times: ZonedTimes
  /** Returns a path parameter, or an empty string if the path has no parameter of that name. */
  readonly param: (name: string) => string
  readonly query: URLSearchParams
  /** Builds the url of a page in this environment. Encodes path segments and query values. */
  readonly href: (path: string, query?: Readonly<Record<string, string | undefined>>) => string
  /** Builds this page's url with the given query instead of its own. Undefined and empty values are omitted. */
  readonly hereWith: (query: Readonly<Record<string, string | undefined>>) => string
  /** Returns true if one of the operator's roles is or includes `role`. */
  readonly may: (role: OperatorRole) => boolean
  /** Renders the hidden fields of one of the page's forms. */
  readonly guardOf: (form: string) => Html
  readonly refusal: Refusal | undefined
}

/**
 * A checked form. It comes from this page in the operator's session, and the operator has the form's role. Its reason
 * has 10 to 500 characters.
 */
export interface SentChange {
  readonly form: SentForm
  readonly reason: string
}

export interface FormDone {
  /** Path of the next page's url. Default: this page. */
  readonly href?: string
  /** A file returned instead of a page. */
  readonly file?: AnsweredFile
}

/** A file that a browser saves and never displays. */
export interface AnsweredFile {
  /** File name of letters, digits, dots, dashes and underscores. */
  readonly name: string
  readonly type: "application/json" | "text/csv"
  readonly text: string
}

/** A form's key in `ConsolePage.forms` is its name. */
export interface ConsoleForm {
  /** Role required to submit the form. */
  readonly role: OperatorRole
  /** Set if the form returns a file rather than a page. */
  readonly downloads?: true
  /** Message shown on the next page. Unused if the form returns a file. */
  readonly done: string
  /**
   * Makes the change as the session's operator, and records it as one `operator_action` in the same commit. A change
   * without effect need not be recorded. Use `actingAs`, unless the core service records the action itself.
   */
  readonly run: (
    view: PageView,
    sent: SentChange
  ) => Effect.Effect<FormDone, FormRefused | RecordMissing | StoreError, ConsoleServices>
}

export interface CsvTable {
  readonly role: OperatorRole
  readonly rows: (view: PageView) => Effect.Effect<AnsweredFile, PageFailure, ConsoleServices>
}

/** A page of an environment. `page/pages.ts` lists every page. */
export interface ConsolePage {
  /** Path below `/console/{environment}`, with `:name` for parameters. */
  readonly path: string
  readonly room: Room
  /** Role required to see the page. */
  readonly role: OperatorRole
  readonly show: (view: PageView) => Effect.Effect<PageScreen | Elsewhere, PageFailure, ConsoleServices>
  /** The page's list as a CSV export, with the same filters: `?format=csv`. */
  readonly csv?: CsvTable
  /** Tables of the page as CSV exports, keyed by name: `?format=csv&table=keys`. */
  readonly tables?: Readonly<Record<string, CsvTable>>
  /** Forms posted to the page's own url. */
  readonly forms?: Readonly<Record<string, ConsoleForm>>
}

export const elsewhere = (href: string): Elsewhere => ({ _tag: "Elsewhere", href })
