import type { AskingBlock, AskingBlockReason } from "@surety/core/consent/asking/AskingBlock"
import { type Grant, grantAsOf } from "@surety/core/consent/grant/Grant"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import type { Receipt } from "@surety/core/consent/receipt/Receipt"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import { html } from "@surety/page-kit/Html"
import { type Columns, merchantColumn, personColumn, type Shown, timeColumn, timeInFile } from "../screen/columns.js"
import { idOf, state } from "../screen/parts.js"
import { grantState, requestState } from "../screen/personStates.js"

export const requestColumns = ({ names, view }: Shown) =>
  ({
    id: {
      head: "Request",
      kind: "key",
      cell: ({ id }) => html`<a href="${view.href(`consents/requests/${id}`)}">${idOf(id)}</a>`,
      file: [["id", ({ id }) => id]]
    },
    merchant: merchantColumn({ names, view }),
    person: personColumn({ view }),
    fields: {
      head: "Fields",
      kind: "wide",
      cell: ({ requestedFields }) => requestedFields.join(", "),
      file: [["fields", ({ requestedFields }) => requestedFields.join(" ")]]
    },
    state: {
      head: "State",
      cell: (request) => state(...requestState(request)),
      file: [
        ["status", ({ status }) => status],
        ["denial_reason", ({ denialReason }) => denialReason]
      ]
    },
    createdAt: timeColumn(view, "Time", "createdAt"),
    decidedAt: { file: [timeInFile("decidedAt")] }
  }) satisfies Columns<DataRequest>

export const grantColumns = ({ names, view }: Shown) =>
  ({
    id: {
      head: "Grant",
      kind: "key",
      cell: ({ id }) => html`<a href="${view.href(`consents/grants/${id}`)}">${idOf(id)}</a>`,
      file: [["id", ({ id }) => id]]
    },
    merchant: merchantColumn({ names, view }),
    person: personColumn({ view }),
    fields: {
      head: "Fields",
      kind: "wide",
      cell: ({ fields }) => fields.join(", "),
      file: [["fields", ({ fields }) => fields.join(" ")]]
    },
    state: {
      head: "State",
      cell: (grant) => state(...grantState(grantAsOf(grant, view.now))),
      file: [["status", (grant) => grantAsOf(grant, view.now).status]]
    },
    grantedAt: timeColumn(view, "Since", "grantedAt"),
    expiresAt: timeColumn(view, "Until", "expiresAt", "until"),
    revokedAt: { file: [timeInFile("revokedAt")] }
  }) satisfies Columns<Grant>

const blockWords: Readonly<Record<AskingBlockReason, string>> = {
  NOT_ME: "“This is not me”",
  STOP_ASKING: "“Stop asking”"
}

export const blockColumns = ({ names, view }: Shown) =>
  ({
    merchant: merchantColumn({ names, view }),
    person: personColumn({ view }),
    reason: {
      head: "Reason",
      kind: "key",
      cell: ({ reason }) => blockWords[reason],
      file: [["reason", ({ reason }) => reason]]
    },
    blockedAt: timeColumn(view, "Since", "blockedAt"),
    lift: {
      head: "Block",
      cell: ({ merchantId, serviceId }) =>
        html`<a href="${view.href(`merchants/${merchantId}/blocks/${serviceId}`)}">Lift…</a>`,
      notInFile: "a link"
    }
  }) satisfies Columns<AskingBlock>

export const readColumns = ({ names, view }: Shown) =>
  ({
    id: { file: [["id", ({ id }) => id]] },
    merchant: { ...merchantColumn({ names, view }), kind: "key" },
    fields: {
      head: "Fields",
      cell: ({ fields }) => fields.join(", "),
      file: [["fields", ({ fields }) => fields.join(" ")]]
    },
    readAt: timeColumn(view, "Time", "readAt")
  }) satisfies Columns<IdentityRead>

export const receiptColumns = ({ names, view }: Shown) =>
  ({
    id: { head: "Receipt", cell: ({ id }) => idOf(id), file: [["id", ({ id }) => id]] },
    merchant: { ...merchantColumn({ names, view }), kind: "key" },
    sequence: {
      head: "Position in chain",
      kind: "num",
      cell: ({ sequence }) => sequence,
      label: "position in chain",
      file: [["sequence", ({ sequence }) => sequence]]
    },
    hash: {
      file: [
        ["hash", ({ hash }) => hash],
        ["previous_hash", ({ previousHash }) => previousHash]
      ]
    }
  }) satisfies Columns<Receipt>
