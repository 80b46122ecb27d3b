import type { AuthSettings } from './authSettings.ts'

/**
 * Settings without the mail server and the hooks that send mails and text messages, as long as `isPaused` returns true. Mails and
 * text messages then go to the mailbox.
 */
export function withOutgoingPause(settings: AuthSettings, isPaused: () => boolean): AuthSettings {
  const { smtp, hooks } = settings
  return {
    ...settings,
    get smtp() {
      return isPaused() ? null : smtp
    },
    hooks: {
      ...hooks,
      get send_email() {
        return isPaused() ? null : hooks.send_email
      },
      get send_sms() {
        return isPaused() ? null : hooks.send_sms
      },
    },
  }
}
