import { eventTypeRecords } from "../event/EventRecord.js"
import { at, type Example, endpointId, later, merchantId, page, pageOfTest, refund } from "./exampleValues.js"

const event = {
  id: "event_01k7wqab50fbq3s5v7x9z1c3e5",
  topic: "refund.completed",
  environment: "TEST",
  occurredAt: later,
  version: "1",
  sequence: "0000000100000000000002f10199f8c55ad57ef63c97d9f4ec1a8dc5",
  payload: refund
}

const operatorDelivery = {
  id: "delivery_01k7wqab52e7n9q1s3v5x7z9b1",
  merchantId,
  environment: "LIVE",
  eventId: event.id,
  endpointId: endpointId,
  status: "FAILED",
  attempts: 10,
  createdAt: at
}

const deliveries = {
  data: [
    {
      id: "delivery_01k7wqab52e7n9q1s3v5x7z9b1",
      endpointId: endpointId,
      status: "DELIVERED",
      attempts: [{ number: 1, startedAt: later, durationMillis: 84, responseStatus: 200, responseBody: "ok" }],
      createdAt: later
    }
  ]
}

export const eventExamples: Readonly<Record<string, Example>> = {
  "events.list": { response: page(event) },
  "events.get": { response: event },
  "events.deliveries": { response: deliveries },
  "events.resend": { request: { endpoint_id: endpointId }, response: { eventId: event.id, scheduled: 1 } },
  "events.types": { response: { data: [eventTypeRecords[1]] } },
  "operatorEvents.listEvents": { response: pageOfTest(event) },
  "operatorEvents.listAllDeliveries": { response: pageOfTest(operatorDelivery) },
  "operatorEvents.listDeliveries": { response: { environment: "TEST", ...deliveries } },
  "operatorEvents.resendEvent": { request: { endpointId: endpointId }, response: { eventId: event.id, scheduled: 1 } }
}
