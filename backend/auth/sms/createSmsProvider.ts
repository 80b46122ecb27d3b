import { createMessagebird, type MessagebirdSettings } from './messagebird.ts'
import type { SmsProvider } from './SmsProvider.ts'
import { createTextlocal, type TextlocalSettings } from './textlocal.ts'
import { createTwilio, createTwilioVerify, type TwilioSettings } from './twilio.ts'
import { createVonage, type VonageSettings } from './vonage.ts'

/** The settings of an SMS provider, by its name in config.toml. */
export type SmsProviderSettings =
  | ({ name: 'twilio' } & TwilioSettings)
  | ({ name: 'twilio_verify' } & TwilioSettings)
  | ({ name: 'messagebird' } & MessagebirdSettings)
  | ({ name: 'textlocal' } & TextlocalSettings)
  | ({ name: 'vonage' } & VonageSettings)

/** Creates the configured SMS provider. `fetchIt` is replaced in tests. */
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
