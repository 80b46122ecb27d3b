import { createMessagebird, type MessagebirdSettings } from './messagebird.ts'
import type { TextService } from './TextService.ts'
import { createTextlocal, type TextlocalSettings } from './textlocal.ts'
import { createTwilio, createTwilioVerify, type TwilioSettings } from './twilio.ts'
import { createVonage, type VonageSettings } from './vonage.ts'

/** The settings of an SMS provider, by its name in config.toml. */
export type TextServiceSettings =
  | ({ name: 'twilio' } & TwilioSettings)
  | ({ name: 'twilio_verify' } & TwilioSettings)
  | ({ name: 'messagebird' } & MessagebirdSettings)
  | ({ name: 'textlocal' } & TextlocalSettings)
  | ({ name: 'vonage' } & VonageSettings)

/** Creates the configured SMS provider. `fetchIt` is replaced in tests. */
export function createTextService(settings: TextServiceSettings, fetchIt: typeof fetch = fetch): TextService {
  switch (settings.name) {
    case 'twilio':
      return createTwilio(settings, fetchIt)
    case 'twilio_verify':
      return createTwilioVerify(settings, fetchIt)
    case 'messagebird':
      return createMessagebird(settings, fetchIt)
    case 'textlocal':
      return createTextlocal(settings, fetchIt)
    case 'vonage':
      return createVonage(settings, fetchIt)
  }
}
