import { i18n } from '@lingui/core'

/** Why something didn't happen, in words for the person who asked. */
export interface Failure {
  /** The constraint, command error or auth code: an identifier, never shown. */
  name: string
  /** What happened and what can be done, in the reader's language. */
  sentence: string
  /** Whether asking again later may help (network, limits); false when the answer will not change. */
  again: boolean
}

/** What every action answers. Actions never throw. */
export type Outcome<T = void> = { ok: true; value: T } | { ok: false; failure: Failure }

/** Turns whatever a client library threw or answered into a failure with a sentence. */
export function failureFrom(cause: unknown): Failure {
  void cause
  return {
    name: 'unknown',
    sentence: i18n._('Something went wrong on our side. Try again in a moment.'),
    again: true,
  }
}
