import { Schema } from "effect"

/**
 * ISO 4217 currency codes by number of decimals. Excludes metals, units of account such as `XDR`, test codes and most
 * funds codes. Includes the retired `ANG` and `BGN`, so payments in them can still be refunded.
 */
const codesByDecimals: Readonly<Record<number, string>> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  2:
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY " +
    "COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS " +
    "INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR " +
    "MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD " +
    "SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW"
}

const decimalsByCode: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByDecimals).flatMap(([decimals, codes]) =>
    codes.split(" ").map((code): [string, number] => [code, Number(decimals)])
  )
)

/** An ISO 4217 code in upper case, one of `codes`. */
export const Currency = Schema.String.check(
  Schema.makeFilter((code: string) => decimalsByCode.has(code) || "Expected an ISO 4217 currency code")
).pipe(Schema.brand("Currency"))
export type Currency = typeof Currency.Type

const isCurrency = Schema.is(Currency)

/** The default currency of a request that omits `currency` (specification 4.2). */
export const NGN: Currency = Currency.make("NGN")

const lettersOnly = /^[A-Za-z]{3}$/u

/**
 * Parses a code in any letter case. Returns `undefined` for a code that is not in `codes`. Rejects letters outside
 * ASCII, even those whose upper case is in ASCII (`ı`, `ſ`).
 */
export const fromCode = (code: string): Currency | undefined => {
  const upper = code.toUpperCase()
  return lettersOnly.test(code) && isCurrency(upper) ? upper : undefined
}

/** Returns the number of decimals in the currency's amounts: 2 for NGN, 0 for JPY, 3 for KWD. */
export const decimals = (currency: Currency): number => decimalsByCode.get(currency) ?? 2

/** Returns all known codes, in no particular order. */
export const codes = (): ReadonlyArray<string> => [...decimalsByCode.keys()]
