import type { SettingsReader } from './createSettingsReader.ts'

/**
 * `[auth.rate_limit]`: the number of requests of each kind. Mails and text messages are counted for all clients
 * together, of which each caller has a share, the rest per client.
 */
export interface LimitSettings {
  /** Null without SMTP: mails only go to the mailbox. */
  emailPerHour: number | null
  smsPerHour: number
  anonymousPerHour: number
  tokenPer5Minutes: number
  signInPer5Minutes: number
  verifyPer5Minutes: number
  web3Per5Minutes: number
}

/** @throws ConfigError */
export function readLimitSettings({ integer }: SettingsReader, o: { sendsMail: boolean }): LimitSettings {
  const limit = (name: string, fallback: number): number =>
    integer(`auth.rate_limit.${name}`, fallback, 0, 1e9)
  const emailPerHour = limit('email_sent', 2)
  return {
    emailPerHour: o.sendsMail ? emailPerHour : null,
    smsPerHour: limit('sms_sent', 30),
    anonymousPerHour: limit('anonymous_users', 30),
    tokenPer5Minutes: limit('token_refresh', 150),
    signInPer5Minutes: limit('sign_in_sign_ups', 30),
    verifyPer5Minutes: limit('token_verifications', 30),
    web3Per5Minutes: limit('web3', 30),
  }
}
