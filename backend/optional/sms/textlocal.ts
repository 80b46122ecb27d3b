import { firstOf, postForm, textOf } from './postForm.ts'
import { SmsProviderError, type SmsProvider } from '../../auth/sms/SmsProvider.ts'

export interface TextlocalSettings {
  sender: string
  apiKey: string
}

/** https://api.textlocal.in/docs/sendsms */
export function createTextlocal(settings: TextlocalSettings, fetchFn: typeof fetch): SmsProvider {
  return {
    name: 'textlocal',
    channels: ['sms'],
    async send({ phone, message }) {
      const { body } = await postForm(fetchFn, 'https://api.textlocal.in/send', {
        fields: { sender: settings.sender, apikey: settings.apiKey, message, numbers: phone },
      })
      if (body['status'] !== 'success') {
        const error = firstOf(body, 'errors')
        throw new SmsProviderError(
          `textlocal error: ${textOf(error, 'message')} (code: ${textOf(error, 'code')})`,
        )
      }
      return textOf(firstOf(body, 'messages'), 'id')
    },
  }
}
