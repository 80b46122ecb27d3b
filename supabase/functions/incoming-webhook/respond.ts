import { readPayloadText } from '../_shared/readPayloadText.ts'
import { refusalOf, type DatabaseError, type Refusals } from '../_shared/refusalOf.ts'
import {
  composeMessage,
  mentioningText,
  type Composed,
  type Content,
  type Webhook,
} from '../_shared/composeMessage.ts'
import { PayloadError } from '../_shared/payloadFields.ts'
import { readMessage } from './readMessage.ts'

export interface Ports {
  /** Reads the webhook with this token. `body`: the text whose mentions of people are read too; null: there is none. */
  read(token: string, body: string | null): Promise<{ webhook: Webhook } | { error: DatabaseError }>
  /** Posts a message through the webhook with this token; returns the error of the database, or null. */
  post(token: string, message: Composed): Promise<DatabaseError | null>
}

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
export async function respond(request: Request, ports: Ports): Promise<Response> {
  const token = /\/incoming-webhook\/([A-Za-z0-9_-]{20,100})\/?$/.exec(new URL(request.url).pathname)?.[1]
  if (token === undefined) return textResponse(404, 'no_service')
  if (request.method !== 'POST') return textResponse(405, 'invalid_method', { allow: 'POST' })
  const body = await readPayloadText(request)
  if (body === null) return textResponse(413, 'payload_too_large')
  let content: Content | null
  try {
    content = readMessage(body, request.headers)
  } catch (error) {
    if (error instanceof PayloadError) return textResponse(400, error.message)
    throw error
  }
  // GitLab disables a webhook whose events are refused.
  if (content === null) return textResponse(200, 'ignored')
  const text = mentioningText(content)
  const read = await ports.read(token, text.includes('@') ? text : null)
  if ('error' in read) return refuse(read.error)
  const message = composeMessage(content, read.webhook)
  const error = await ports.post(token, message)
  if (error !== null) return refuse(error)
  // Senders such as Grafana accept no other body.
  return textResponse(200, 'ok', message.isCut ? { 'x-linnet-text': 'cut' } : {})
}

function refuse(error: DatabaseError): Response {
  const [status, name] = refusalOf(error, refusals)
  return textResponse(status, name, status === 429 ? { 'retry-after': '5' } : {})
}
