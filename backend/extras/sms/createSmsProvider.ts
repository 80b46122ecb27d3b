import { createMessagebird } from './messagebird.ts'
import type { ConfigureAuthExtension } from '../../auth/AuthExtension.ts'
import { readSmsProviderSettings, type SmsProviderSettings } from './smsProviderSettings.ts'
import type { SmsProvider } from '../../auth/sms/SmsProvider.ts'
import { createTextlocal } from './textlocal.ts'
import { createTwilio, createTwilioVerify } from './twilio.ts'
import { createVonage } from './vonage.ts'

/** Sends text messages with the provider that config.toml enables. `fetchFn` is replaced in tests. */
export function configureSmsProvider(fetchFn?: typeof fetch): ConfigureAuthExtension {
  return (read) => {
    const settings = readSmsProviderSettings(read)
    return { smsProvider: settings && createSmsProvider(settings, fetchFn) }
  }
}

/** @param fetchFn replaced in tests */
export function createSmsProvider(settings: SmsProviderSettings, fetchFn: typeof fetch = fetch): SmsProvider {
  switch (settings.name) {
    case 'twilio':
      return createTwilio(settings, fetchFn)
    case 'twilio_verify':
      return createTwilioVerify(settings, fetchFn)
    case 'messagebird':
      return createMessagebird(settings, fetchFn)
    case 'textlocal':
      return createTextlocal(settings, fetchFn)
    case 'vonage':
      return createVonage(settings, fetchFn)
  }
}
