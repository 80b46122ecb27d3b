import type { Composed } from '../_shared/composeMessage.ts'
import { parsePayload, slackMessage } from '../_shared/slackPayload.ts'

/** The message of a request. Throws PayloadError. */
export function readMessage(body: string, headers: Headers): Composed {
  return slackMessage(parsePayload(body, headers.get('content-type') ?? ''))
}
