import { firstOf, postForm, textOf } from './postForm.ts'
import { TextServiceError, type TextService } from './TextService.ts'

export interface VonageSettings {
  from: string
  apiKey: string
  apiSecret: string
}

/** https://developer.vonage.com/en/api/sms */
export function createVonage(settings: VonageSettings, fetchIt: typeof fetch): TextService {
  return {
    channels: ['sms'],
    async send({ phone, message }) {
      const { body } = await postForm(fetchIt, 'https://rest.nexmo.com/sms/json', {
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
      if (sent === undefined) throw new TextServiceError('vonage error: Internal Error')
      const status = textOf(sent, 'status')
      if (status !== '0') {
        throw new TextServiceError(`vonage error: ${textOf(sent, 'error-text')} (status: ${status})`)
      }
      return textOf(sent, 'message-id')
    },
  }
}
