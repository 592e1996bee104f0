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

/** The services and ports of core that pages read and change; never SQL. */
export type ConsoleServices = Services | StorePorts

/** The record is missing, is another environment's, or the address names none. The page is the same for all three. */
export class RecordMissing extends Data.TaggedError("RecordMissing") {}

/** A filter's value cannot be read. No list is shown, since it would have the records that the filter leaves out. */
export class FilterUnreadable extends Data.TaggedError("FilterUnreadable")<{
  /** The filter's parameter in the address. */
  readonly name: string
  readonly value: string
}> {}

/** Why a page cannot be shown. */
export type PageFailure = FilterUnreadable | RecordMissing | StoreError

/** A form that cannot be carried out as sent: it is shown again with what was written. Nothing was changed. */
export class FormRefused extends Data.TaggedError("FormRefused")<{
  /** What is wrong and what to write instead, as plain text. */
  readonly message: string
  /** The field to correct. Default: the reason. */
  readonly field?: string
}> {}

/** Ends a page or a form whose record is missing. */
export const recordMissing = () => Effect.fail(new RecordMissing())

/** Ends a form with core's refusal, in its own words. */
export const formRefused = ({ message }: { readonly message: string }) => Effect.fail(new FormRefused({ message }))

/** The addresses of the side menu. */
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

/** A page's own part. */
export interface PageScreen {
  /** The window's title, as plain text. */
  readonly title: string
  readonly body: Html
  /** Whether a page outside the environments needs more room than a form. */
  readonly isWide?: boolean
}

/** Leads to another page in place of a screen, such as from a whole id to its record. */
export interface Elsewhere {
  readonly _tag: "Elsewhere"
  /** An address of our own. */
  readonly href: string
}

/** A refused form on the page that is shown again. */
export interface Refusal {
  readonly form: string
  readonly message: string
  readonly field: string
  /** What was written in a field; undefined if nothing. */
  readonly written: (field: string) => string | undefined
  /** Whether it was never processed: its session had ended before it was sent. */
  readonly isDraft?: true
}

/** The same refusal, which notes whether a form says it. */
export const sayingIn = (refusal: Refusal, said: { inForm: boolean }): Refusal => ({
  ...refusal,
  get message() {
    said.inForm = true
    return refusal.message
  }
})

/** One request for a page, by an operator who may see it. */
export interface PageView {
  readonly environment: Environment
  readonly session: OperatorSession
  readonly now: DateTime.Utc
  readonly times: ZonedTimes
  /** A parameter of the page's path; empty if the path has none of that name. */
  readonly param: (name: string) => string
  readonly query: URLSearchParams
  /** The address of a page of this environment. Path segments and query values are encoded. */
  readonly href: (path: string, query?: Readonly<Record<string, string | undefined>>) => string
  /** The address of this page with other query values; undefined ones are left out. */
  readonly hereWith: (query: Readonly<Record<string, string | undefined>>) => string
  /** Whether the operator has this role. */
  readonly may: (role: OperatorRole) => boolean
  /** The hidden fields of one of the page's forms. */
  readonly guardOf: (form: string) => Html
  readonly refusal: Refusal | undefined
}

/** A form that is genuine, from an operator who may send it, with a reason of 10 to 500 characters. */
export interface SentChange {
  readonly form: SentForm
  readonly reason: string
}

/** The result of a form: where to go, and the message to show. */
export interface FormDone {
  /** The address of the record, of our own. Default: this page. */
  readonly href?: string
  /** A file, returned in place of a page. */
  readonly file?: AnsweredFile
}

/** A file that a browser saves, and never shows. */
export interface AnsweredFile {
  /** Letters, digits, dots, dashes and underscores. */
  readonly name: string
  readonly type: "application/json" | "text/csv"
  readonly text: string
}

/** A form of a page. Its name is its key in `ConsolePage.forms`. */
export interface ConsoleForm {
  /** The role that may send it. */
  readonly role: OperatorRole
  /** Whether it returns a file rather than a page. */
  readonly downloads?: true
  /** Said on the page that follows. */
  readonly done: string
  /** Makes the change as the session's operator, with one `operator_action` in its commit: by `actingAs`. */
  readonly run: (
    view: PageView,
    sent: SentChange
  ) => Effect.Effect<FormDone, FormRefused | RecordMissing | StoreError, ConsoleServices>
}

/** A table as a file. */
export interface CsvTable {
  /** The role that may have it. */
  readonly role: OperatorRole
  readonly rows: (view: PageView) => Effect.Effect<AnsweredFile, PageFailure, ConsoleServices>
}

/** A page, as one line of the table in `page/pages.ts`. */
export interface ConsolePage {
  /** Below `/console/{environment}`, with `:name` for parameters. */
  readonly path: string
  readonly room: Room
  /** The role that may see it. */
  readonly role: OperatorRole
  readonly show: (view: PageView) => Effect.Effect<PageScreen | Elsewhere, PageFailure, ConsoleServices>
  /** The page's list as a file, under the same filters: `?format=csv`. */
  readonly csv?: CsvTable
  /** Tables of the page's record as files, by name: `?format=csv&table=keys`. */
  readonly tables?: Readonly<Record<string, CsvTable>>
  /** Forms, which are posted to the page's own address. */
  readonly forms?: Readonly<Record<string, ConsoleForm>>
}

/** Leads to another page. */
export const elsewhere = (href: string): Elsewhere => ({ _tag: "Elsewhere", href })
