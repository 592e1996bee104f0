import {
  apiKeyId,
  at,
  type Example,
  later,
  merchantId,
  page,
  serviceId,
  transactionId,
  userId
} from "./exampleValues.js"

const reason = "Asked by letter of 27 February"
const act = { environment: "LIVE", reason }

const person = { serviceId, userId, environment: "LIVE" }

const rightsRequest = {
  id: "rights_01k7wqac2bf4h6k8m1p3r5t7v9",
  ...person,
  kind: "RECTIFY",
  note: "My name is spelt Adaeze.",
  status: "OPEN",
  isOverdue: false,
  askedAt: at,
  dueAt: "2026-03-31T09:30:00.000Z"
}

const exported = {
  schema: "surety-person-export/1",
  exportedAt: later,
  environment: "LIVE",
  person: {
    serviceId,
    userId,
    displayName: "Ada Obi",
    country: "NG",
    email: "ada@mail.example",
    phoneVerified: true,
    createdAt: at
  },
  links: [{ merchantId, createdAt: at }],
  dataRequests: [],
  grants: [],
  askingBlocks: [],
  reads: [
    {
      id: "read_01k7wqac7xe2g4j6m8p1r3t5v7",
      merchantId,
      fields: ["display_name"],
      apiKeyId,
      readAt: later
    }
  ],
  receipts: [],
  verifications: [],
  payments: [
    {
      transactionId,
      merchantId,
      amount: 2500.5,
      currency: "NGN",
      reference: "order-1001",
      method: "WALLET",
      status: "SETTLED",
      createdAt: at,
      settledAt: at
    }
  ],
  refunds: [],
  wallets: [{ amount: 0, currency: "NGN" }],
  messages: [],
  rightsRequests: [],
  others: {}
}

export const peopleExamples: Readonly<Record<string, Example>> = {
  "people.export": { request: act, response: exported },
  "people.exportPage": { request: act, response: "<!doctype html><title>All that is held about you</title>" },
  "people.rectify": {
    request: { ...act, displayName: "Adaeze Obi" },
    response: { userId, serviceId, environment: "LIVE", displayName: "Adaeze Obi", phoneVerified: true, createdAt: at }
  },
  "people.restrict": { request: act, response: { ...person, restrictedAt: later } },
  "people.liftRestriction": { request: act, response: person },
  "people.erase": {
    request: act,
    response: {
      serviceId,
      environment: "LIVE",
      erasedAt: later,
      kept: [
        {
          record: "payments",
          count: 1,
          why: "They account for money, so that nothing is paid twice and the books balance.",
          until: "For as long as the books are kept."
        }
      ]
    }
  },
  "people.recordRightsRequest": {
    request: { environment: "LIVE", serviceId, kind: "RECTIFY", note: "My name is spelt Adaeze." },
    response: rightsRequest
  },
  "people.listRightsRequests": { response: { environment: "LIVE", ...page(rightsRequest) } },
  "people.closeRightsRequest": {
    request: { ...act, status: "DONE" },
    response: { ...rightsRequest, status: "DONE", closedAt: later, closedBy: "operator" }
  }
}
