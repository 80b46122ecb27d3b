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
  /** Posts a message through the webhook with this token. */
  post(token: string, message: Composed, place: Pick<Content, 'thread' | 'event'>): Promise<Posted>
  /** Replaces a message of the webhook with this token. */
  replace(token: string, id: string, message: Composed): Promise<Posted>
}

/** The id of a message, or the error of the database. */
export type Posted = { id: string } | { error: DatabaseError }

/** The responses to errors of the command, with Slack's names. */
const refusals: Refusals = {
  not_found: [404, 'no_service'],
  not_a_member: [404, 'channel_not_found'],
  archived: [410, 'channel_is_archived'],
  rate_limited: [429, 'rate_limited'],
  messages_body_length: [400, 'msg_too_long'],
  messages_not_empty: [400, 'no_text'],
  // The first message of the thread.
  message_deleted: [404, 'message_not_found'],
}

/** Once the webhook has been read, a reply or a replacement lacks its message. */
const messageRefusals: Refusals = { ...refusals, not_found: [404, 'message_not_found'] }

const ADDRESS = /\/incoming-webhook\/([A-Za-z0-9_-]{20,100})(?:\/messages\/([^/]+))?\/?$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const textResponse = (status: number, text: string, headers: Record<string, string> = {}): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })

/**
 * Responds to a request at `…/incoming-webhook/<token>` as Slack's webhooks do: `ok`, or the name of an error. As for Discord's
 * webhooks, `?wait=true` responds with an object, `?thread_id=<id>` replies in a thread, and PATCH of `/messages/<id>` replaces a
 * message.
 */
export async function respond(request: Request, ports: Ports): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const [, token, replaced] = ADDRESS.exec(pathname) ?? []
  if (token === undefined) return textResponse(404, 'no_service')
  const method = replaced === undefined ? 'POST' : 'PATCH'
  if (request.method !== method) return textResponse(405, 'invalid_method', { allow: method })
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
  const thread = content.thread || searchParams.get('thread_id')
  if ([replaced, thread].some((id) => id && !UUID.test(id))) return textResponse(404, 'message_not_found')
  const text = mentioningText(content)
  const read = await ports.read(token, text.includes('@') ? text : null)
  if ('error' in read) return refuse(read.error, refusals)
  const message = composeMessage(content, read.webhook)
  const posted =
    replaced === undefined
      ? await ports.post(token, message, {
          ...(thread && { thread }),
          ...(content.event && { event: content.event }),
        })
      : await ports.replace(token, replaced, message)
  if ('error' in posted) return refuse(posted.error, replaced || thread ? messageRefusals : refusals)
  const headers = { 'x-linnet-message': posted.id, ...(message.isCut && { 'x-linnet-text': 'cut' }) }
  if (searchParams.get('wait') === 'true')
    return Response.json({ ok: true, id: posted.id, ts: posted.id }, { headers })
  // Senders such as Grafana accept no other body.
  return textResponse(200, 'ok', headers)
}

function refuse(error: DatabaseError, listed: Refusals): Response {
  const [status, name] = refusalOf(error, listed)
  return textResponse(status, name, status === 429 ? { 'retry-after': '5' } : {})
}
