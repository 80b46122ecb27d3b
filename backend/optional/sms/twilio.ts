import { postForm, textOf, type FormResponse } from './postForm.ts'
import { SmsProviderError, type SmsProvider } from '../../auth/sms/SmsProvider.ts'

export interface TwilioSettings {
  accountSid: string
  /** A messaging service or sender number; for Verify the verification service. */
  messageServiceSid: string
  authToken: string
}

/** https://www.twilio.com/docs/messaging/api/message-resource */
export function createTwilio(settings: TwilioSettings, fetchFn: typeof fetch): SmsProvider {
  const url = `https://api.twilio.com/2010-04-01/Accounts/${encodeURIComponent(settings.accountSid)}/Messages.json`
  return {
    name: 'twilio',
    channels: ['sms', 'whatsapp'],
    async send({ phone, message, channel }) {
      const from = settings.messageServiceSid
      const isNumber = /^\+?[1-9][0-9]{1,14}$/.test(from.replaceAll(' ', ''))
      const fields =
        channel === 'whatsapp'
          ? { To: `whatsapp:+${phone}`, From: isNumber ? `whatsapp:${from}` : from }
          : { To: `+${phone}`, From: from }
      const body = { ...fields, Channel: channel, Body: message }
      const response = readResponse(
        await postForm(fetchFn, url, { fields: body, authorization: basic(settings) }),
      )
      const status = textOf(response, 'status')
      if (status === 'failed' || status === 'undelivered') {
        throw new SmsProviderError(
          `twilio error: ${textOf(response, 'error_message')} ${textOf(response, 'error_code')}`,
        )
      }
      return textOf(response, 'sid')
    },
  }
}

/** https://www.twilio.com/docs/verify/api: Twilio creates, sends and verifies the codes. */
export function createTwilioVerify(settings: TwilioSettings, fetchFn: typeof fetch): SmsProvider {
  const url = `https://verify.twilio.com/v2/Services/${encodeURIComponent(settings.messageServiceSid)}`
  const authorization = basic(settings)
  return {
    name: 'twilio_verify',
    channels: ['sms', 'whatsapp'],
    async send({ phone, channel }) {
      const fields = { To: `+${phone}`, Channel: channel }
      const response = await postForm(fetchFn, `${url}/Verifications`, { fields, authorization })
      return textOf(readResponse(response), 'sid')
    },
    async verify(phone, code) {
      const fields = { To: `+${phone}`, Code: code }
      const response = await postForm(fetchFn, `${url}/VerificationCheck`, { fields, authorization })
      // 404 means that there is no pending code, or that it was already used.
      if (response.status !== 200 && response.status !== 201) return false
      return response.body['status'] === 'approved' && response.body['valid'] === true
    },
  }
}

function basic(settings: TwilioSettings): string {
  return `Basic ${Buffer.from(`${settings.accountSid}:${settings.authToken}`).toString('base64')}`
}

function readResponse({ status, body }: FormResponse): Record<string, unknown> {
  if (status === 200 || status === 201) return body
  const more = textOf(body, 'more_info')
  throw new SmsProviderError(
    `${textOf(body, 'message') || `status ${status}`}${more ? ` More information: ${more}` : ''}`,
  )
}
