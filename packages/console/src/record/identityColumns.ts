import { isVerificationOpen, type Verification } from "@surety/core/kyc/verification/Verification"
import { attentionAfter } from "@surety/core/overview/Overview"
import type { RightsRequest } from "@surety/core/person/RightsRequest"
import { html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { DateTime } from "effect"
import type { PageView } from "../page/ConsolePage.js"
import { type Columns, merchantColumn, personColumn, type Shown, timeColumn, timeInFile } from "../screen/columns.js"
import { idOf, state } from "../screen/parts.js"
import { rightsState, verificationState } from "../screen/personStates.js"

export const isStuck = ({ createdAt, status }: Verification, { now }: Pick<PageView, "now">): boolean =>
  isVerificationOpen(status) &&
  DateTime.isLessThan(createdAt, DateTime.subtractDuration(now, attentionAfter.verificationOpen))

export const verificationColumns = ({ names, view }: Shown) =>
  ({
    id: {
      head: "Verification",
      kind: "key",
      cell: ({ id }) => html`<a href="${view.href(`verifications/${id}`)}">${idOf(id)}</a>`,
      file: [["reference", ({ id }) => id]]
    },
    merchant: merchantColumn({ names, view }),
    person: { ...personColumn({ view }), kind: "wide" },
    kind: { head: "Kind", cell: ({ kind }) => kind.toUpperCase(), file: [["kind", ({ kind }) => kind]] },
    state: {
      head: "State",
      cell: (one) => (isStuck(one, view) ? state("bad", "Stuck") : state(...verificationState(one))),
      file: [
        ["status", ({ status }) => status],
        ["failure_reason", ({ failureReason }) => failureReason]
      ]
    },
    provider: {
      head: "Provider",
      kind: "wide",
      cell: ({ provider }) => provider !== undefined && isolated(provider, 40),
      file: [["provider", ({ provider }) => provider]]
    },
    createdAt: timeColumn(view, "Time", "createdAt"),
    completedAt: { file: [timeInFile("completedAt")] }
  }) satisfies Columns<Verification>

export const rightsWords = { EXPORT: "A copy", RECTIFY: "A correction", ERASE: "Deletion" } as const

export const rightsColumns = ({ view }: Pick<Shown, "view">) =>
  ({
    id: { head: "Id", kind: "wide", cell: ({ id }) => idOf(id), file: [["id", ({ id }) => id]] },
    person: personColumn({ view }),
    kind: {
      head: "Request",
      kind: "key",
      cell: ({ id, kind }) => html`<a href="${view.href(`rights/${id}`)}">${rightsWords[kind]}</a>`,
      file: [["kind", ({ kind }) => kind]]
    },
    state: {
      head: "State",
      cell: (request) => state(...rightsState(request, view.now)),
      file: [["status", ({ status }) => status]]
    },
    askedAt: timeColumn(view, "Asked", "askedAt", "asked"),
    dueAt: timeColumn(view, "Due", "dueAt", "due"),
    closed: {
      file: [timeInFile("closedAt"), ["closed_by", ({ closedBy }) => closedBy]]
    }
  }) satisfies Columns<RightsRequest>
