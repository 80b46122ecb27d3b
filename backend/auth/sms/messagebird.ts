import { firstOf, postForm, textOf } from './postForm.ts'
import { TextServiceError, type TextService } from './TextService.ts'

export interface MessagebirdSettings {
  originator: string
  accessKey: string
}

/** https://developers.messagebird.com/api/sms-messaging */
export function createMessagebird(settings: MessagebirdSettings, fetchIt: typeof fetch): TextService {
  return {
    channels: ['sms'],
    async send({ phone, message }) {
      const { body } = await postForm(fetchIt, 'https://rest.messagebird.com/messages', {
        authorization: `AccessKey ${settings.accessKey}`,
        fields: {
          originator: settings.originator,
          body: message,
          recipients: phone,
          type: 'sms',
          datacoding: 'unicode',
        },
      })
      const refusal = textOf(firstOf(body, 'errors'), 'description')
      if (refusal !== '') throw new TextServiceError(refusal)
      const recipients = body['recipients'] as { totalSentCount?: unknown } | null | undefined
      if (!(Number(recipients?.totalSentCount) > 0)) {
        throw new TextServiceError('messagebird error: total sent count is 0')
      }
      return textOf(body, 'id')
    },
  }
}
