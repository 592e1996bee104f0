import type { Catalog } from "./Catalog.js"

/**
 * Nigerian Pidgin, a draft. Not yet reviewed by a native speaker, so it is offered only if a host enables
 * it. Missing texts are shown in English.
 */
export const nigerianPidgin: Catalog = {
  language: "pcm",
  name: "Naijá (Pidgin)",
  direction: "ltr",
  version: "1.0-draft",
  review: "needed",
  messages: {
    "layout.skip": "Go straight to di main matter",
    "layout.test": "Na test be dis. Nobody dey share real information.",
    "layout.languages": "Language",
    "layout.problem": "Something no correct",
    "ask.title": "{merchant} wan see some of your information",
    "ask.lead": "Na you go decide. We no go share anything unless you mark am and press “Share wetin I mark”.",
    "ask.who": "Who dey ask",
    "ask.name": "Name",
    "ask.website": "Website",
    "ask.purpose": "Wetin dem say dem need am for",
    "ask.until": "Till when",
    "ask.untilText": "Till {date}, unless you collect am back before den.",
    "ask.answerBy": "Answer before",
    "ask.fields": "Which information {merchant} fit see?",
    "ask.yours": "Your own: {value}",
    "ask.withdrawTitle": "You fit collect am back any time",
    "ask.share": "Share wetin I mark",
    "ask.nothing": "No share anything",
    "ask.notMeTitle": "No be you dem dey find?",
    "ask.notMe": "No be me be dis",
    "ask.tickOne": "Mark at least one, or press “No share anything”.",
    "decided.approvedTitle": "You don share some information with {merchant}",
    "decided.deniedTitle": "You no share anything with {merchant}",
    "decided.backTitle": "How you fit collect am back",
    "manage.title": "Wetin you don agree to",
    "manage.count": {
      one: "{count} business fit see your information.",
      other: "{count} business fit see your information."
    },
    "manage.revoke": "Collect am back",
    "field.display_name": "Name",
    "field.country": "Country",
    "field.email": "Email address",
    "value.yes": "Yes",
    "value.no": "No"
  }
}
