import { firstOf, postForm, textOf } from './postForm.ts'
import { SmsProviderError, type SmsProvider } from '../../auth/sms/SmsProvider.ts'

export interface VonageSettings {
  from: string
  apiKey: string
  apiSecret: string
}

/** https://developer.vonage.com/en/api/sms */
export function createVonage(settings: VonageSettings, fetchFn: typeof fetch): SmsProvider {
  return {
    name: 'vonage',
    channels: ['sms'],
    async send({ phone, message }) {
      const { body } = await postForm(fetchFn, 'https://rest.nexmo.com/sms/json', {
        fields: {
          from: settings.from,
          to: phone,
          text: message,
          api_key: settings.apiKey,
          api_secret: settings.apiSecret,
          // Otherwise letters outside of ASCII become question marks.
          ...(/^[\0-\x7f]*$/.test(message) ? {} : { type: 'unicode' }),
        },
      })
      const sent = firstOf(body, 'messages')
      if (sent === undefined) throw new SmsProviderError('vonage error: Internal Error')
      const status = textOf(sent, 'status')
      if (status !== '0') {
        throw new SmsProviderError(`vonage error: ${textOf(sent, 'error-text')} (status: ${status})`)
      }
      return textOf(sent, 'message-id')
    },
  }
}
