import { firstOf, postForm, textOf } from './postForm.ts'
import { SmsProviderError, type SmsProvider } from '../../auth/sms/SmsProvider.ts'

export interface MessagebirdSettings {
  originator: string
  accessKey: string
}

/** https://developers.messagebird.com/api/sms-messaging */
export function createMessagebird(settings: MessagebirdSettings, fetchFn: typeof fetch): SmsProvider {
  return {
    name: 'messagebird',
    channels: ['sms'],
    async send({ phone, message }) {
      const { body } = await postForm(fetchFn, 'https://rest.messagebird.com/messages', {
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
      if (refusal !== '') throw new SmsProviderError(refusal)
      const recipients = body['recipients'] as { totalSentCount?: unknown } | null | undefined
      if (!(Number(recipients?.totalSentCount) > 0)) {
        throw new SmsProviderError('messagebird error: total sent count is 0')
      }
      return textOf(body, 'id')
    },
  }
}
