import { readPayloadText } from '../_shared/readPayloadText.ts'
import { refusalOf, type DatabaseError, type Refusals } from '../_shared/refusalOf.ts'
import type { Composed } from '../_shared/composeMessage.ts'
import { PayloadError } from '../_shared/payloadFields.ts'
import { readMessage } from './readMessage.ts'

/** Posts a message through the webhook with this token; returns the error of the database, or null. */
export type Post = (token: string, message: Composed) => Promise<DatabaseError | null>

/** The responses to errors of the command, with Slack's names. */
const refusals: Refusals = {
  not_found: [404, 'no_service'],
  not_a_member: [404, 'channel_not_found'],
  archived: [410, 'channel_is_archived'],
  rate_limited: [429, 'rate_limited'],
  messages_body_length: [400, 'msg_too_long'],
  messages_not_empty: [400, 'no_text'],
}

const textResponse = (status: number, text: string, headers: Record<string, string> = {}): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })

/** Responds to a request at `…/incoming-webhook/<token>` as Slack's webhooks do: `ok`, or the name of an error. */
export async function respond(request: Request, post: Post): Promise<Response> {
  const token = /\/incoming-webhook\/([A-Za-z0-9_-]{20,100})\/?$/.exec(new URL(request.url).pathname)?.[1]
  if (token === undefined) return textResponse(404, 'no_service')
  if (request.method !== 'POST') return textResponse(405, 'invalid_method', { allow: 'POST' })
  const body = await readPayloadText(request)
  if (body === null) return textResponse(413, 'payload_too_large')
  let message: Composed | null
  try {
    message = readMessage(body, request.headers)
  } catch (error) {
    if (error instanceof PayloadError) return textResponse(400, error.message)
    throw error
  }
  // GitLab disables a webhook whose events are refused.
  if (message === null) return textResponse(200, 'ignored')
  const error = await post(token, message)
  // Senders such as Grafana accept no other body.
  if (error === null) return textResponse(200, 'ok', message.isCut ? { 'x-linnet-text': 'cut' } : {})
  const [status, name] = refusalOf(error, refusals)
  return textResponse(status, name, status === 429 ? { 'retry-after': '5' } : {})
}
