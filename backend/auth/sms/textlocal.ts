import { firstOf, postForm, textOf } from './postForm.ts'
import { TextServiceError, type TextService } from './TextService.ts'

export interface TextlocalSettings {
  sender: string
  apiKey: string
}

/** https://api.textlocal.in/docs/sendsms */
export function createTextlocal(settings: TextlocalSettings, fetchIt: typeof fetch): TextService {
  return {
    channels: ['sms'],
    async send({ phone, message }) {
      const { body } = await postForm(fetchIt, 'https://api.textlocal.in/send', {
        fields: { sender: settings.sender, apikey: settings.apiKey, message, numbers: phone },
      })
      if (body['status'] !== 'success') {
        const error = firstOf(body, 'errors')
        throw new TextServiceError(
          `textlocal error: ${textOf(error, 'message')} (code: ${textOf(error, 'code')})`,
        )
      }
      return textOf(firstOf(body, 'messages'), 'id')
    },
  }
}
