/**
 * A purpose as a person reads it: white space, which a page shows as one space, is one space. What reads the same is the
 * same question, so that a space more is no way around a denial.
 */
export const asRead = (purpose: string): string => purpose.normalize("NFC").replace(/\s+/gu, " ").trim()
