import { postForm, textOf, type FormAnswer } from './postForm.ts'
import { TextServiceError, type TextService } from './TextService.ts'

export interface TwilioSettings {
  accountSid: string
  /** A messaging service or sender number; for Verify the verification service. */
  messageServiceSid: string
  authToken: string
}

/** https://www.twilio.com/docs/messaging/api/message-resource */
export function createTwilio(settings: TwilioSettings, fetchIt: typeof fetch): TextService {
  const url = `https://api.twilio.com/2010-04-01/Accounts/${encodeURIComponent(settings.accountSid)}/Messages.json`
  return {
    channels: ['sms', 'whatsapp'],
    async send({ phone, message, channel }) {
      const from = settings.messageServiceSid
      const isNumber = /^\+?[1-9][0-9]{1,14}$/.test(from.replaceAll(' ', ''))
      const fields =
        channel === 'whatsapp'
          ? { To: `whatsapp:+${phone}`, From: isNumber ? `whatsapp:${from}` : from }
          : { To: `+${phone}`, From: from }
      const body = { ...fields, Channel: channel, Body: message }
      const answer = readAnswer(
        await postForm(fetchIt, url, { fields: body, authorization: basic(settings) }),
      )
      const status = textOf(answer, 'status')
      if (status === 'failed' || status === 'undelivered') {
        throw new TextServiceError(
          `twilio error: ${textOf(answer, 'error_message')} ${textOf(answer, 'error_code')}`,
        )
      }
      return textOf(answer, 'sid')
    },
  }
}

/** https://www.twilio.com/docs/verify/api: Twilio creates, sends and verifies the codes. */
export function createTwilioVerify(settings: TwilioSettings, fetchIt: typeof fetch): TextService {
  const url = `https://verify.twilio.com/v2/Services/${encodeURIComponent(settings.messageServiceSid)}`
  const authorization = basic(settings)
  return {
    channels: ['sms', 'whatsapp'],
    async send({ phone, channel }) {
      const fields = { To: `+${phone}`, Channel: channel }
      const answer = await postForm(fetchIt, `${url}/Verifications`, { fields, authorization })
      return textOf(readAnswer(answer), 'sid')
    },
    async check(phone, code) {
      const fields = { To: `+${phone}`, Code: code }
      const answer = await postForm(fetchIt, `${url}/VerificationCheck`, { fields, authorization })
      // 404 means that there is no pending code, or that it was already used.
      if (answer.status !== 200 && answer.status !== 201) return false
      return answer.body['status'] === 'approved' && answer.body['valid'] === true
    },
  }
}

function basic(settings: TwilioSettings): string {
  return `Basic ${Buffer.from(`${settings.accountSid}:${settings.authToken}`).toString('base64')}`
}

function readAnswer({ status, body }: FormAnswer): Record<string, unknown> {
  if (status === 200 || status === 201) return body
  const more = textOf(body, 'more_info')
  throw new TextServiceError(
    `${textOf(body, 'message') || `status ${status}`}${more ? ` More information: ${more}` : ''}`,
  )
}
