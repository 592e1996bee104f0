// Generated from the interface's definition by `vitest -u packages/client`.

export interface components {
    schemas: {
        readonly CodeAction: {
            /** @enum {string} */
            readonly type: "CODE";
            /** @description The channels on which the code is sent, such as phone or email. Empty if the provider does not say. */
            readonly channels: readonly string[];
            readonly expiresAt: string;
        };
        /** @description Payload of `merchant.identity.consent_expired`: A grant expired: the next read of these fields fails. */
        readonly ConsentExpired: {
            readonly merchantId: string;
            readonly serviceId: string;
            readonly grantId: string;
            readonly fields: readonly string[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly at: string;
            /** @enum {string} */
            readonly grantStatus: "EXPIRED";
        } & {
            readonly [key: string]: unknown;
        };
        /** @description Payload of `merchant.identity.consent_granted`: A person lets the merchant read these fields. */
        readonly ConsentGranted: {
            readonly merchantId: string;
            readonly serviceId: string;
            readonly grantId: string;
            readonly fields: readonly string[];
            readonly dataRequestId?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly grantedAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly expiresAt: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description Payload of `merchant.identity.consent_revoked`: A grant was revoked: the next read of these fields fails. */
        readonly ConsentRevoked: {
            readonly merchantId: string;
            readonly serviceId: string;
            readonly grantId: string;
            readonly fields: readonly string[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly at: string;
            /** @enum {string} */
            readonly grantStatus: "REVOKED";
        } & {
            readonly [key: string]: unknown;
        };
        readonly Consumer: {
            readonly userId: string;
            /** @example SR1-K7QM-WX4T-A */
            readonly serviceId: string;
            /** @enum {string} */
            readonly environment: "TEST" | "LIVE";
            readonly externalId?: string;
            readonly displayName?: string;
            readonly country?: string;
            readonly email?: string;
            readonly phoneVerified: boolean;
            /** @description TEST: data requests to this consumer have the same limits as in LIVE. */
            readonly askLimits?: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly createdAt: string;
        };
        /** @description Payload of `merchant.identity.data_changed`: Fields that the merchant may read have new values. Read them again; the event contains no values. */
        readonly DataChanged: {
            readonly merchantId: string;
            readonly serviceId: string;
            readonly fields: readonly string[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly changedAt: string;
        } & {
            readonly [key: string]: unknown;
        };
        readonly DataRequest: {
            readonly id: string;
            /** @example SR1-K7QM-WX4T-A */
            readonly serviceId: string;
            readonly requestedFields: readonly string[];
            /** @enum {string} */
            readonly status: "PENDING" | "APPROVED" | "DENIED" | "EXPIRED" | "CANCELLED";
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly expiresAt: string;
            /** @description The duration that you requested. Absent: as long as the platform allows. */
            readonly duration?: "ONE_TIME" | number;
            readonly approvedFields?: readonly string[];
            readonly grantId?: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly decidedAt?: string;
            /** @description Only in the response that creates it, with a TEST key: the page on which to decide in the person's place. */
            readonly consentUrl?: string;
        };
        /** @description Payload of `merchant.identity.request.approved`: A person approved a data request; `approvedFields` may be fewer than were requested. */
        readonly DataRequestApproved: {
            readonly merchantId: string;
            readonly dataRequestId: string;
            readonly serviceId: string;
            readonly requestedFields: readonly string[];
            readonly approvedFields: readonly string[];
            /** @enum {string} */
            readonly status: "APPROVED";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly decidedAt: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description Payload of `merchant.identity.request.denied`: A person denied a data request. */
        readonly DataRequestDenied: {
            readonly merchantId: string;
            readonly dataRequestId: string;
            readonly serviceId: string;
            readonly requestedFields: readonly string[];
            /** @enum {string} */
            readonly status: "DENIED";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly decidedAt: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description Payload of `merchant.identity.request.expired`: A data request expired without a decision. */
        readonly DataRequestExpired: {
            readonly merchantId: string;
            readonly dataRequestId: string;
            readonly serviceId: string;
            readonly requestedFields: readonly string[];
            /** @enum {string} */
            readonly status: "EXPIRED";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly expiredAt: string;
        } & {
            readonly [key: string]: unknown;
        };
        readonly DataRequestForm: {
            /**
             * @description The end user's personal identifier, SR1-XXXX-XXXX-C; hyphens, case and white space do not matter.
             * @example SR1-K7QM-WX4T-A
             */
            readonly service_id: string;
            /**
             * @description Names of identity fields, each once: service_id, display_name, country, email, phone_verified, …
             * @example [
             *       "display_name",
             *       "email"
             *     ]
             */
            readonly requested_fields: readonly string[];
            /**
             * @description Shown to the person and kept with the grant. Default: the purpose that the platform has set for you, else a sentence with your name.
             * @example To deliver your order and to reach you about it.
             */
            readonly purpose?: string;
            /** @description How long you want to read: ONE_TIME (one read), or whole days. Default: as long as the platform allows. The person may shorten it. */
            readonly duration?: "ONE_TIME" | number;
            /**
             * @description Where the page leads the person back to: at or below one of your allowed return urls.
             * @example https://shop.example/orders/77
             */
            readonly return_url?: string;
            /**
             * @description Returned unchanged as ?state= of return_url. Nothing else is added.
             * @example 4f1c9a
             */
            readonly state?: string;
        };
        readonly Delivery: {
            readonly id: string;
            readonly endpointId: string;
            /** @enum {string} */
            readonly status: "PENDING" | "DELIVERED" | "FAILED";
            readonly attempts: readonly components["schemas"]["DeliveryAttempt"][];
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly nextAttemptAt?: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly createdAt: string;
        };
        readonly DeliveryAttempt: {
            readonly number: number;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly startedAt: string;
            readonly durationMillis: number;
            readonly responseStatus?: number;
            /** @description The first 4 KiB. */
            readonly responseBody?: string;
            /** @description Why no response arrived. */
            readonly error?: string;
        };
        /** @description Payload of `endpoint.disabled`: An endpoint of the merchant was disabled. Its other endpoints get this event. */
        readonly EndpointDisabled: {
            readonly merchantId: string;
            readonly endpointId: string;
            readonly reason?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly disabledAt: string;
        } & {
            readonly [key: string]: unknown;
        };
        readonly Event: {
            readonly id: string;
            /** @enum {string} */
            readonly topic: "transaction.settled" | "refund.completed" | "merchant.identity.consent_granted" | "merchant.identity.request.approved" | "merchant.identity.request.denied" | "merchant.identity.request.expired" | "merchant.identity.consent_revoked" | "merchant.identity.consent_expired" | "merchant.identity.data_changed" | "kyc.verification.completed" | "refund.failed" | "endpoint.disabled";
            /** @enum {string} */
            readonly environment: "TEST" | "LIVE";
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly occurredAt: string;
            /** @description The version of the payload's schema, as in X-Service-Event-Version. */
            readonly version: string;
            /** @description A string that sorts like order=oldest, as in X-Service-Sequence. Gaps mean nothing. */
            readonly sequence: string;
            /** @description The webhook's body. Its keys depend on the topic. */
            readonly payload: unknown;
            /**
             * @description A test event: nothing happened.
             * @enum {boolean}
             */
            readonly test?: true;
        };
        readonly EventType: {
            /** @enum {string} */
            readonly topic: "transaction.settled" | "refund.completed" | "merchant.identity.consent_granted" | "merchant.identity.request.approved" | "merchant.identity.request.denied" | "merchant.identity.request.expired" | "merchant.identity.consent_revoked" | "merchant.identity.consent_expired" | "merchant.identity.data_changed" | "kyc.verification.completed" | "refund.failed" | "endpoint.disabled";
            readonly description: string;
            /** @description The version of the payload's schema, as in X-Service-Event-Version. */
            readonly version: string;
            /** @description Whether endpoints that name no topics get it. */
            readonly isDefault: boolean;
            /** @description The payload's JSON Schema, draft 2020-12. Later versions may add keys. */
            readonly schema: Record<string, unknown>;
            /** @description A payload. */
            readonly example: Record<string, unknown>;
        };
        /** @description One thing wrong with a request, and where. */
        readonly Fault: {
            /**
             * @description Where in the body: a JSON pointer as a url fragment (RFC 6901, section 6).
             * @example #/items/0/amount
             */
            readonly pointer?: string;
            /** @description The path's or query's parameter. */
            readonly parameter?: string;
            /** @description The request's header. */
            readonly header?: string;
            /** @description What is wrong there, for people. */
            readonly detail: string;
            /** @description What is wrong there, for programs. */
            readonly code: string;
        };
        readonly Grant: {
            readonly id: string;
            /** @example SR1-K7QM-WX4T-A */
            readonly serviceId: string;
            readonly fields: readonly string[];
            readonly purpose: string;
            /** @enum {string} */
            readonly status: "ACTIVE" | "REVOKED" | "EXPIRED";
            /**
             * @description REQUEST: by approving the request dataRequestId. HOST or OPERATOR: without one.
             * @enum {string}
             */
            readonly origin: "REQUEST" | "HOST" | "OPERATOR";
            readonly dataRequestId?: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly grantedAt: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly expiresAt: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly revokedAt?: string;
            /**
             * @description Ends with your first read of its fields.
             * @enum {boolean}
             */
            readonly oneTime?: true;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly usedAt?: string;
        };
        readonly GrantReceipt: {
            readonly id: string;
            readonly sequence: number;
            readonly previousHash: string;
            /** @description SHA-256 in hex of previousHash, as shown here, followed by the canonical JSON (RFC 8785) of receipt. */
            readonly hash: string;
            readonly receipt: {
                readonly schemaVersion: string;
                readonly receiptId: string;
                readonly recordId: string;
                /** @enum {string} */
                readonly environment: "TEST" | "LIVE";
                readonly principal: {
                    readonly serviceId: string;
                };
                readonly controller: {
                    readonly merchantId: string;
                    readonly businessCode: string;
                    readonly name: string;
                    readonly legalName: string;
                    readonly country: string;
                    readonly email?: string;
                    readonly url?: string;
                };
                readonly recipients: readonly {
                    readonly name: string;
                    readonly role: string;
                }[];
                readonly purpose: string;
                /** @enum {string} */
                readonly lawfulBasis: "consent";
                readonly dataFields: readonly string[];
                readonly processing: {
                    readonly collectionMethod: string;
                    readonly processingMethod: string;
                };
                readonly storage: {
                    readonly locations: readonly string[];
                    readonly retentionPeriod: string;
                };
                readonly withdrawalMethod: string;
                readonly notice: {
                    readonly version: string;
                    readonly language: string;
                };
                readonly jurisdiction: string;
                /** @enum {boolean} */
                readonly oneTime?: true;
                readonly events: readonly {
                    /** @enum {string} */
                    readonly state: "REQUESTED" | "GRANTED" | "DENIED" | "REVOKED" | "EXPIRED";
                    readonly time: string;
                    readonly actor: {
                        /** @enum {string} */
                        readonly kind: "PERSON" | "HOST" | "OPERATOR" | "MERCHANT" | "SERVICE";
                        readonly name?: string;
                    };
                    readonly validUntil?: string;
                }[];
            } | {
                readonly schemaVersion: string;
                readonly receiptId: string;
                readonly recordId: string;
                /** @enum {string} */
                readonly environment: "TEST" | "LIVE";
                readonly principal: {
                    readonly serviceId: string;
                };
                readonly controller: {
                    readonly merchantId: string;
                    readonly businessCode: string;
                    readonly name: string;
                    readonly legalName: string;
                    readonly country: string;
                    readonly email?: string;
                    readonly url?: string;
                };
                readonly purpose: string;
                /** @enum {string} */
                readonly lawfulBasis: "consent";
                readonly jurisdiction: string;
                readonly verification: {
                    /** @enum {string} */
                    readonly kind: "bvn" | "nin" | "vnin" | "phone" | "nin_phone";
                    readonly tier?: string;
                    /** @enum {string} */
                    readonly attested: "verification_consent";
                    /** @enum {string} */
                    readonly method: "MERCHANT_ATTESTED" | "HOLDER_CODE" | "REGISTRY_CONSENT";
                    readonly provider?: string;
                    readonly apiKeyId?: string;
                };
                readonly events: readonly {
                    /** @enum {string} */
                    readonly state: "ATTESTED";
                    readonly time: string;
                    readonly actor: {
                        /** @enum {string} */
                        readonly kind: "PERSON" | "HOST" | "OPERATOR" | "MERCHANT" | "SERVICE";
                        readonly name?: string;
                    };
                }[];
            };
            /** @description The receipt and its place in the chain as a compact JWS (RFC 7515, Ed25519), verified by /.well-known/jwks.json. */
            readonly jws: string;
        };
        readonly Identity: {
            readonly serviceId: string;
            /** @description Approved fields with their current values; null if the person has none. */
            readonly fields: Record<string, unknown>;
            /** @description Why each other field may not be read: of the requested ones, or of all known ones if none was named. */
            readonly notApproved: {
                readonly [key: string]: "never_requested" | "pending" | "denied" | "expired" | "revoked";
            };
        };
        /** @description An empty object. */
        readonly NoFields: Record<string, unknown>;
        readonly Payment: {
            readonly transactionId: string;
            readonly merchantId: string;
            /** @enum {string} */
            readonly environment: "TEST" | "LIVE";
            readonly reference?: string;
            readonly amount: number;
            readonly currency: string;
            readonly refundedAmount: number;
            /** @enum {string} */
            readonly method: "WALLET" | "CARD" | "BANK_TRANSFER";
            /** @enum {string} */
            readonly status: "PENDING" | "SETTLED";
            readonly userId?: string;
            /** @example SR1-K7QM-WX4T-A */
            readonly serviceId?: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly settledAt?: string;
            /**
             * @description The outcome of refunds of this TEST payment.
             * @enum {string}
             */
            readonly refundOutcome?: "pending" | "decline" | "unavailable" | "no_wallet" | "no_balance";
        };
        /** @description RFC 9457 problem details. */
        readonly Problem: {
            /**
             * Format: uri
             * @description A url that identifies the problem's code and leads to its documentation.
             */
            readonly type: string;
            /** @description The same for every problem of this code. */
            readonly title: string;
            /** @description The response's HTTP status. */
            readonly status: number;
            /** @description What happened this time, for people. */
            readonly detail: string;
            /** @description The request's path. */
            readonly instance: string;
            /** @description What happened, for programs. Stable. */
            readonly code: string;
            /** @description Quote it when you report a problem; also in X-Request-Id. */
            readonly requestId: string;
            /** @description Every fault found in the request, at most 100. */
            readonly errors?: readonly components["schemas"]["Fault"][];
            readonly currency?: string;
            /** @description amount_exceeds_refundable: the payment's amount. */
            readonly original?: number;
            /** @description amount_exceeds_refundable: what is refunded. */
            readonly refunded?: number;
            /** @description amount_exceeds_refundable: what is left. */
            readonly refundable?: number;
            readonly merchantStatus?: string;
            readonly dataRequestStatus?: string;
            readonly allowed?: readonly string[];
            readonly field?: string;
            readonly limit?: number;
            /** @description wallet_unavailable: the id of the pending refund. */
            readonly refundId?: string;
            readonly refundStatus?: string;
            /** @description scope_missing: the scope that the key lacks. */
            readonly requiredScope?: string;
            readonly leftSeconds?: number;
        };
        readonly RedirectAction: {
            /** @enum {string} */
            readonly type: "REDIRECT";
            /** @description Send the person there. Then read the verification again. */
            readonly url: string;
            readonly expiresAt: string;
        };
        readonly Refund: {
            readonly merchantId: string;
            readonly refundId: string;
            readonly transactionId: string;
            readonly reference?: string;
            /** @description In major units: 2500.5 is two thousand five hundred naira fifty kobo. */
            readonly amount: number;
            readonly currency: string;
            readonly reason?: string;
            /** @enum {string} */
            readonly status: "PENDING" | "COMPLETED" | "FAILED";
            readonly serviceId?: string;
            readonly completedAt?: string;
            readonly merchantReference?: string;
            readonly items?: readonly {
                readonly amount: number;
                readonly currency: string;
                readonly reason?: string;
            }[];
        };
        /** @description Payload of `refund.completed`: The customer's primary wallet has been credited. */
        readonly RefundCompleted: {
            readonly merchantId: string;
            readonly refundId: string;
            readonly transactionId: string;
            readonly reference?: string;
            /** @description In major units: 2500.5 is two thousand five hundred naira fifty kobo. */
            readonly amount: number;
            readonly currency: string;
            readonly reason?: string;
            /** @enum {string} */
            readonly status: "COMPLETED";
            readonly serviceId?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly completedAt: string;
            readonly merchantReference?: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description Payload of `refund.failed`: The wallet declined a refund: the money is back with the merchant, and the idempotency key can be used again. */
        readonly RefundFailed: {
            readonly merchantId: string;
            readonly refundId: string;
            readonly transactionId: string;
            readonly reference?: string;
            /** @description In major units: 2500.5 is two thousand five hundred naira fifty kobo. */
            readonly amount: number;
            readonly currency: string;
            readonly reason?: string;
            /** @enum {string} */
            readonly status: "FAILED";
            readonly serviceId?: string;
            readonly merchantReference?: string;
            /** @enum {string} */
            readonly failureReason: "wallet_declined";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly failedAt: string;
        } & {
            readonly [key: string]: unknown;
        };
        readonly RefundItemRequest: {
            /**
             * @description Major units: 2500.5 is two thousand five hundred naira fifty kobo. No more decimals than the currency has.
             * @example 2500.5
             */
            readonly amount: number;
            /**
             * @description An ISO 4217 code in any letter case. Default NGN.
             * @example NGN
             */
            readonly currency?: string;
            readonly reason?: string;
        };
        readonly RefundRequest: {
            /**
             * @description The platform's id of the payment.
             * @example payment_01jq3v8m5yfq8tq6x1m3c2a9zr
             */
            readonly transaction_id?: string;
            /** @example order-1001 */
            readonly reference?: string;
            /**
             * @description Major units: 2500.5 is two thousand five hundred naira fifty kobo. No more decimals than the currency has.
             * @example 2500.5
             */
            readonly amount?: number;
            /**
             * @description An ISO 4217 code in any letter case. Default NGN.
             * @example NGN
             */
            readonly currency?: string;
            readonly reason?: string;
            readonly merchant_reference?: string;
            readonly items?: readonly components["schemas"]["RefundItemRequest"][];
        };
        readonly RequestEntry: {
            readonly method: string;
            /** @description The route's template, without values. Absent if there is no such route. */
            readonly route?: string;
            readonly status: number;
            /** @description The problem's code, if it was refused. */
            readonly code?: string;
            readonly requestId: string;
            /** @description The last four characters of the key that was used. */
            readonly keyLast4: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly at: string;
        };
        readonly Resend: {
            readonly eventId: string;
            /** @description The number of endpoints to which the event is sent again. */
            readonly scheduled: number;
        };
        readonly ResendRequest: {
            /** @description One endpoint. Default: every enabled endpoint of the environment that wants the topic. */
            readonly endpoint_id?: string;
        };
        readonly TestApprovalRequest: {
            /**
             * @description Names of identity fields, each once: service_id, display_name, country, email, phone_verified, …
             * @example [
             *       "display_name",
             *       "email"
             *     ]
             */
            readonly fields?: readonly string[];
        };
        readonly TestClock: {
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            readonly now: string;
            /** @description How far it has been moved in total. */
            readonly advancedSeconds: number;
        };
        readonly TestClockRequest: {
            readonly advance_seconds: number;
        };
        readonly TestConsumerRequest: {
            readonly display_name?: string;
            /**
             * @description An ISO 3166-1 alpha-2 code in any letter case, or the country's English name.
             * @example NG
             * @example Nigeria
             */
            readonly country?: string;
            /**
             * Format: email
             * @example ada@shop.example
             */
            readonly email?: string;
            /** @description Default false. */
            readonly phone_verified?: boolean;
            /** @description Whether you may name the consumer. Default true. */
            readonly linked?: boolean;
            /** @description Whether data requests to this consumer have the same limits as in LIVE. Default false. */
            readonly ask_limits?: boolean;
        };
        readonly TestMerchant: {
            readonly merchantId: string;
            /** @enum {string} */
            readonly environment: "TEST" | "LIVE";
            /** @description Whether TEST refunds are allowed. Refunds that the platform has switched off stay off. */
            readonly refundsEnabled: boolean;
        };
        readonly TestMerchantRequest: {
            readonly refundsEnabled: boolean;
        };
        readonly TestPaymentRequest: {
            /**
             * @description The end user's personal identifier, SR1-XXXX-XXXX-C; hyphens, case and white space do not matter.
             * @example SR1-K7QM-WX4T-A
             */
            readonly service_id: string;
            /**
             * @description Major units: 2500.5 is two thousand five hundred naira fifty kobo. No more decimals than the currency has.
             * @example 2500.5
             */
            readonly amount: number;
            /**
             * @description An ISO 4217 code in any letter case. Default NGN.
             * @example NGN
             */
            readonly currency?: string;
            /**
             * @description Default: one is generated.
             * @example order-1001
             */
            readonly reference?: string;
            /** @description Default true. */
            readonly settled?: boolean;
            /**
             * @description Default WALLET. A CARD payment is not refundable to a wallet.
             * @enum {string}
             */
            readonly method?: "WALLET" | "CARD";
            /** @description Pay from the wallet's balance, instead of funding it first. Only for a settled wallet payment. Default false. */
            readonly from_balance?: boolean;
            /**
             * @description The outcome of the payment's refunds. complete (default). pending: they wait for POST /v1/test-helpers/refunds/{refundId}/settle. decline: wallet_declined. unavailable: 503 wallet_unavailable once. no_wallet: customer_wallet_missing. no_balance: insufficient_settlement_balance.
             * @enum {string}
             */
            readonly refund_outcome?: "complete" | "pending" | "decline" | "unavailable" | "no_wallet" | "no_balance";
        };
        readonly TestSettlementRequest: {
            /** @enum {string} */
            readonly outcome: "completed" | "failed";
        };
        /** @description Payload of `transaction.settled`: A payment to the merchant has settled. */
        readonly TransactionSettled: {
            readonly merchantId: string;
            readonly transactionId: string;
            readonly reference?: string;
            /** @description In major units: 2500.5 is two thousand five hundred naira fifty kobo. */
            readonly amount: number;
            readonly currency: string;
            /** @enum {string} */
            readonly status: "SETTLED";
            readonly serviceId?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly settledAt: string;
        } & {
            readonly [key: string]: unknown;
        };
        readonly Verification: {
            readonly reference: string;
            readonly providerReference?: string;
            /** @enum {string} */
            readonly status: "PENDING" | "REQUIRES_ACTION" | "VERIFIED" | "FAILED" | "ERROR";
            /** @enum {string} */
            readonly kind: "bvn" | "nin" | "vnin" | "phone" | "nin_phone";
            readonly serviceId: string;
            readonly userId: string;
            readonly tier?: string;
            readonly checks: {
                /** @enum {string} */
                readonly first_name: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED";
                /** @enum {string} */
                readonly last_name: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED";
                /** @enum {string} */
                readonly date_of_birth: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED";
                /** @enum {string} */
                readonly selfie: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED";
            };
            readonly failureReason?: string;
            readonly nextAction?: components["schemas"]["CodeAction"] | components["schemas"]["RedirectAction"];
            readonly provider?: string;
            readonly createdAt: string;
            readonly completedAt?: string;
        };
        readonly VerificationCodeRequest: {
            /**
             * @description The one-time code sent to the person.
             * @example 482913
             */
            readonly code: string;
            /**
             * @description The one of nextAction.channels on which the code was sent.
             * @example phone
             */
            readonly channel?: string;
        };
        /** @description Payload of `kyc.verification.completed`: A verification has ended. The payload is its record. */
        readonly VerificationCompleted: {
            readonly reference: string;
            readonly providerReference?: string;
            /** @enum {string} */
            readonly status: "VERIFIED" | "FAILED" | "ERROR";
            /** @enum {string} */
            readonly kind: "bvn" | "nin" | "vnin" | "phone" | "nin_phone";
            readonly serviceId: string;
            readonly userId: string;
            readonly tier?: string;
            readonly checks: {
                /** @enum {string} */
                readonly first_name: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED";
                /** @enum {string} */
                readonly last_name: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED";
                /** @enum {string} */
                readonly date_of_birth: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED";
                /** @enum {string} */
                readonly selfie: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED";
            } & {
                readonly [key: string]: unknown;
            };
            readonly failureReason?: string;
            readonly provider?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            readonly completedAt: string;
        } & {
            readonly [key: string]: unknown;
        };
        readonly VerificationRequest: {
            /** @description The person's user_id; or send service_id. */
            readonly user_id?: string;
            /**
             * @description The end user's personal identifier, SR1-XXXX-XXXX-C; hyphens, case and white space do not matter.
             * @example SR1-K7QM-WX4T-A
             */
            readonly service_id?: string;
            /** @enum {string} */
            readonly kind: "bvn" | "nin" | "vnin" | "phone" | "nin_phone";
            /**
             * @description The number to verify, in the format of its kind. Spaces and hyphens are ignored. Never stored or logged.
             * @example 22222222222
             */
            readonly id: string;
            /**
             * @description true: the person has consented.
             * @enum {boolean}
             */
            readonly verification_consent: true;
            /** @description The tier that the person is verified for. Any string; only the platform's own tiers raise the person's tier. */
            readonly tier?: string;
            readonly validation?: {
                readonly first_name?: string;
                readonly last_name?: string;
                /**
                 * @description YYYY-MM-DD, DD/MM/YYYY or DD-MM-YYYY. Any other text is NOT_CHECKED.
                 * @example 1990-01-01
                 */
                readonly date_of_birth?: string;
                /** @description A JPEG, PNG or WebP image in base 64, bare or as a data URI; anything else is NOT_CHECKED. Never stored or logged. */
                readonly selfie?: string;
            };
        };
        readonly Whoami: {
            readonly merchantId: string;
            readonly name: string;
            /** @enum {string} */
            readonly status: "PENDING_REVIEW" | "ACTIVE" | "REJECTED" | "SUSPENDED" | "CLOSED";
            /**
             * @description The environment of the key that was used.
             * @enum {string}
             */
            readonly environment: "TEST" | "LIVE";
            /** @description Whether the status allows TEST keys. */
            readonly sandboxAccess: boolean;
            /** @description Whether the status is ACTIVE. */
            readonly liveAccess: boolean;
        };
        readonly EventPayloads: {
            readonly "transaction.settled": components["schemas"]["TransactionSettled"];
            readonly "refund.completed": components["schemas"]["RefundCompleted"];
            readonly "merchant.identity.consent_granted": components["schemas"]["ConsentGranted"];
            readonly "merchant.identity.request.approved": components["schemas"]["DataRequestApproved"];
            readonly "merchant.identity.request.denied": components["schemas"]["DataRequestDenied"];
            readonly "merchant.identity.request.expired": components["schemas"]["DataRequestExpired"];
            readonly "merchant.identity.consent_revoked": components["schemas"]["ConsentRevoked"];
            readonly "merchant.identity.consent_expired": components["schemas"]["ConsentExpired"];
            readonly "merchant.identity.data_changed": components["schemas"]["DataChanged"];
            readonly "kyc.verification.completed": components["schemas"]["VerificationCompleted"];
            readonly "refund.failed": components["schemas"]["RefundFailed"];
            readonly "endpoint.disabled": components["schemas"]["EndpointDisabled"];
        };
        readonly Operations: {
            readonly "account.whoami": {
                readonly answer: components["schemas"]["Whoami"];
            };
            readonly "dataRequests.create": {
                readonly body: components["schemas"]["DataRequestForm"];
                readonly answer: components["schemas"]["DataRequest"];
            };
            readonly "dataRequests.list": {
                readonly query: {
                    /**
                     * @description Only requests to this person.
                     * @example SR1-K7QM-WX4T-A
                     */
                    readonly service_id?: string;
                    /** @default 20 */
                    readonly limit?: number;
                    readonly cursor?: string;
                };
                readonly answer: {
                    readonly data: readonly components["schemas"]["DataRequest"][];
                    readonly nextCursor?: string;
                };
            };
            readonly "dataRequests.get": {
                readonly path: {
                    readonly dataRequestId: string;
                };
                readonly answer: components["schemas"]["DataRequest"];
            };
            readonly "dataRequests.cancel": {
                readonly path: {
                    readonly dataRequestId: string;
                };
                readonly body: components["schemas"]["NoFields"];
                readonly answer: components["schemas"]["DataRequest"];
            };
            readonly "identity.read": {
                readonly query: {
                    /**
                     * @description The end user's personal identifier, SR1-XXXX-XXXX-C; hyphens, case and white space do not matter.
                     * @example SR1-K7QM-WX4T-A
                     */
                    readonly service_id: string;
                    /**
                     * @description Comma-separated names of identity fields. Default: all approved fields.
                     * @example display_name,email
                     */
                    readonly fields?: string;
                };
                readonly answer: components["schemas"]["Identity"];
            };
            readonly "refunds.create": {
                readonly body: components["schemas"]["RefundRequest"];
                readonly answer: components["schemas"]["Refund"];
            };
            readonly "refunds.list": {
                readonly query: {
                    /**
                     * @description The platform's id of the payment.
                     * @example payment_01jq3v8m5yfq8tq6x1m3c2a9zr
                     */
                    readonly transaction_id?: string;
                    /** @default 20 */
                    readonly limit?: number;
                    readonly cursor?: string;
                };
                readonly answer: {
                    readonly data: readonly components["schemas"]["Refund"][];
                    readonly nextCursor?: string;
                };
            };
            readonly "refunds.get": {
                readonly path: {
                    readonly refundId: string;
                };
                readonly answer: components["schemas"]["Refund"];
            };
            readonly "verifications.submit": {
                readonly body: components["schemas"]["VerificationRequest"];
                readonly answer: components["schemas"]["Verification"];
            };
            readonly "verifications.list": {
                readonly query: {
                    /** @default 20 */
                    readonly limit?: number;
                    readonly cursor?: string;
                };
                readonly answer: {
                    readonly data: readonly components["schemas"]["Verification"][];
                    readonly nextCursor?: string;
                };
            };
            readonly "verifications.get": {
                readonly path: {
                    readonly reference: string;
                };
                readonly answer: components["schemas"]["Verification"];
            };
            readonly "verifications.submitCode": {
                readonly path: {
                    readonly reference: string;
                };
                readonly body: components["schemas"]["VerificationCodeRequest"];
                readonly answer: components["schemas"]["Verification"];
            };
            readonly "events.list": {
                readonly query: {
                    /** @default 20 */
                    readonly limit?: number;
                    readonly cursor?: string;
                    /** @enum {string} */
                    readonly topic?: "transaction.settled" | "refund.completed" | "merchant.identity.consent_granted" | "merchant.identity.request.approved" | "merchant.identity.request.denied" | "merchant.identity.request.expired" | "merchant.identity.consent_revoked" | "merchant.identity.consent_expired" | "merchant.identity.data_changed" | "kyc.verification.completed" | "refund.failed" | "endpoint.disabled";
                    /** @enum {string} */
                    readonly order?: "newest" | "oldest";
                };
                readonly answer: {
                    readonly data: readonly components["schemas"]["Event"][];
                    readonly nextCursor?: string;
                };
            };
            readonly "events.get": {
                readonly path: {
                    readonly eventId: string;
                };
                readonly answer: components["schemas"]["Event"];
            };
            readonly "events.deliveries": {
                readonly path: {
                    readonly eventId: string;
                };
                readonly answer: {
                    readonly data: readonly components["schemas"]["Delivery"][];
                };
            };
            readonly "events.resend": {
                readonly path: {
                    readonly eventId: string;
                };
                readonly body: components["schemas"]["ResendRequest"];
                readonly answer: components["schemas"]["Resend"];
            };
            readonly "events.types": {
                readonly answer: {
                    readonly data: readonly components["schemas"]["EventType"][];
                };
            };
            readonly "requests.list": {
                readonly query: {
                    /** @default 20 */
                    readonly limit?: number;
                    readonly cursor?: string;
                    /** @description Only requests whose response has this HTTP status. */
                    readonly status?: string;
                    /** @description Only requests of this route's template: /v1/refunds/:refundId. */
                    readonly route?: string;
                };
                readonly answer: {
                    readonly data: readonly components["schemas"]["RequestEntry"][];
                    readonly nextCursor?: string;
                };
            };
            readonly "testHelpers.createConsumer": {
                readonly body: components["schemas"]["TestConsumerRequest"];
                readonly answer: components["schemas"]["Consumer"];
            };
            readonly "testHelpers.createPayment": {
                readonly body: components["schemas"]["TestPaymentRequest"];
                readonly answer: components["schemas"]["Payment"];
            };
            readonly "testHelpers.settlePayment": {
                readonly path: {
                    readonly transactionId: string;
                };
                readonly body: components["schemas"]["NoFields"];
                readonly answer: components["schemas"]["Payment"];
            };
            readonly "testHelpers.settleRefund": {
                readonly path: {
                    readonly refundId: string;
                };
                readonly body: components["schemas"]["TestSettlementRequest"];
                readonly answer: components["schemas"]["Refund"];
            };
            readonly "testHelpers.approveDataRequest": {
                readonly path: {
                    readonly dataRequestId: string;
                };
                readonly body: components["schemas"]["TestApprovalRequest"];
                readonly answer: components["schemas"]["DataRequest"];
            };
            readonly "testHelpers.denyDataRequest": {
                readonly path: {
                    readonly dataRequestId: string;
                };
                readonly body: components["schemas"]["NoFields"];
                readonly answer: components["schemas"]["DataRequest"];
            };
            readonly "testHelpers.expireDataRequest": {
                readonly path: {
                    readonly dataRequestId: string;
                };
                readonly body: components["schemas"]["NoFields"];
                readonly answer: components["schemas"]["DataRequest"];
            };
            readonly "testHelpers.revokeGrant": {
                readonly path: {
                    readonly grantId: string;
                };
                readonly body: components["schemas"]["NoFields"];
                readonly answer: components["schemas"]["Grant"];
            };
            readonly "testHelpers.expireGrant": {
                readonly path: {
                    readonly grantId: string;
                };
                readonly body: components["schemas"]["NoFields"];
                readonly answer: components["schemas"]["Grant"];
            };
            readonly "testHelpers.switchRefunds": {
                readonly body: components["schemas"]["TestMerchantRequest"];
                readonly answer: components["schemas"]["TestMerchant"];
            };
            readonly "testHelpers.clock": {
                readonly answer: components["schemas"]["TestClock"];
            };
            readonly "testHelpers.advanceClock": {
                readonly body: components["schemas"]["TestClockRequest"];
                readonly answer: components["schemas"]["TestClock"];
            };
            readonly "grants.list": {
                readonly query: {
                    /**
                     * @description Only grants of this person.
                     * @example SR1-K7QM-WX4T-A
                     */
                    readonly service_id?: string;
                    /** @default 20 */
                    readonly limit?: number;
                    readonly cursor?: string;
                };
                readonly answer: {
                    readonly data: readonly components["schemas"]["Grant"][];
                    readonly nextCursor?: string;
                };
            };
            readonly "grants.get": {
                readonly path: {
                    readonly grantId: string;
                };
                readonly answer: components["schemas"]["Grant"];
            };
            readonly "grants.receipts": {
                readonly path: {
                    readonly grantId: string;
                };
                readonly answer: {
                    readonly data: readonly components["schemas"]["GrantReceipt"][];
                };
            };
        };
    };
}
export type CodeAction = components['schemas']['CodeAction'];
export type ConsentExpired = components['schemas']['ConsentExpired'];
export type ConsentGranted = components['schemas']['ConsentGranted'];
export type ConsentRevoked = components['schemas']['ConsentRevoked'];
export type Consumer = components['schemas']['Consumer'];
export type DataChanged = components['schemas']['DataChanged'];
export type DataRequest = components['schemas']['DataRequest'];
export type DataRequestApproved = components['schemas']['DataRequestApproved'];
export type DataRequestDenied = components['schemas']['DataRequestDenied'];
export type DataRequestExpired = components['schemas']['DataRequestExpired'];
export type DataRequestForm = components['schemas']['DataRequestForm'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type EndpointDisabled = components['schemas']['EndpointDisabled'];
export type Event = components['schemas']['Event'];
export type EventType = components['schemas']['EventType'];
export type Fault = components['schemas']['Fault'];
export type Grant = components['schemas']['Grant'];
export type GrantReceipt = components['schemas']['GrantReceipt'];
export type Identity = components['schemas']['Identity'];
export type NoFields = components['schemas']['NoFields'];
export type Payment = components['schemas']['Payment'];
export type Problem = components['schemas']['Problem'];
export type RedirectAction = components['schemas']['RedirectAction'];
export type Refund = components['schemas']['Refund'];
export type RefundCompleted = components['schemas']['RefundCompleted'];
export type RefundFailed = components['schemas']['RefundFailed'];
export type RefundItemRequest = components['schemas']['RefundItemRequest'];
export type RefundRequest = components['schemas']['RefundRequest'];
export type RequestEntry = components['schemas']['RequestEntry'];
export type Resend = components['schemas']['Resend'];
export type ResendRequest = components['schemas']['ResendRequest'];
export type TestApprovalRequest = components['schemas']['TestApprovalRequest'];
export type TestClock = components['schemas']['TestClock'];
export type TestClockRequest = components['schemas']['TestClockRequest'];
export type TestConsumerRequest = components['schemas']['TestConsumerRequest'];
export type TestMerchant = components['schemas']['TestMerchant'];
export type TestMerchantRequest = components['schemas']['TestMerchantRequest'];
export type TestPaymentRequest = components['schemas']['TestPaymentRequest'];
export type TestSettlementRequest = components['schemas']['TestSettlementRequest'];
export type TransactionSettled = components['schemas']['TransactionSettled'];
export type Verification = components['schemas']['Verification'];
export type VerificationCodeRequest = components['schemas']['VerificationCodeRequest'];
export type VerificationCompleted = components['schemas']['VerificationCompleted'];
export type VerificationRequest = components['schemas']['VerificationRequest'];
export type Whoami = components['schemas']['Whoami'];
export type EventPayloads = components['schemas']['EventPayloads'];
export type Operations = components['schemas']['Operations'];
