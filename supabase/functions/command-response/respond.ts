import { cleanText } from '../../../wire/texts.ts'
import { readPayloadText } from '../_shared/readPayloadText.ts'
import { refusalOf, type DatabaseError, type Refusals } from '../_shared/refusalOf.ts'
import { PayloadError } from '../_shared/payloadFields.ts'
import { parsePayload, slackMessage } from '../_shared/slackPayload.ts'

/** A response as the database stores it. `body` is Markdown; null: there is nothing to show. */
interface CommandResponse {
  body: string | null
  in_channel: boolean
  /** It replaces what the caller saw of this invocation before. */
  replaces: boolean
}

export interface Ports {
  /** Whether the database calls. */
  isTask(request: Request): Promise<boolean>
  /** Stores the immediate response of a server; `is_bad`: it is no payload that can be shown. */
  finish(args: { job: string; body?: string | null; in_channel?: boolean; is_bad?: boolean }): Promise<void>
  /** Stores a later response; returns the error of the database, or null. */
  add(args: CommandResponse & { token: string }): Promise<DatabaseError | null>
}

/** The responses to errors of the command, with names as Slack has them. */
const refusals: Refusals = {
  not_found: [404, 'expired_url'],
  not_a_member: [404, 'channel_not_found'],
  message_deleted: [404, 'thread_not_found'],
  archived: [410, 'channel_is_archived'],
  rate_limited: [429, 'too_many_responses'],
  messages_body_length: [400, 'msg_too_long'],
  messages_not_empty: [400, 'no_text'],
}

const plain = (status: number, text: string): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })

/** Responds to the database at `…/command-response`, and to servers of bots at `…/command-response/<token>`. */
export async function respond(request: Request, ports: Ports): Promise<Response> {
  if (await ports.isTask(request)) {
    return finish((await request.json()) as { job: string; content: string; content_type: string }, ports)
  }
  if (request.headers.has('x-linnet-task')) return Response.json({ error: 'not_allowed' }, { status: 403 })
  const token = /\/command-response\/([A-Za-z0-9_-]{20,100})\/?$/.exec(new URL(request.url).pathname)?.[1]
  if (token === undefined) return plain(404, 'expired_url')
  if (request.method !== 'POST') return plain(405, 'invalid_method')
  const content = await readPayloadText(request)
  if (content === null) return plain(413, 'payload_too_large')
  let response: CommandResponse
  try {
    response = convertResponse(content, request.headers.get('content-type') ?? '')
  } catch (error) {
    if (error instanceof PayloadError) return plain(400, error.message)
    throw error
  }
  const error = await ports.add({ token, ...response })
  if (error === null) return plain(200, 'ok')
  return plain(...refusalOf(error, refusals))
}

async function finish(
  { job, content, content_type }: { job: string; content: string; content_type: string },
  ports: Ports,
): Promise<Response> {
  try {
    const { body, in_channel } = convertImmediate(content, content_type)
    await ports.finish({ job, body, in_channel })
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error
    await ports.finish({ job, is_bad: true })
  }
  return Response.json({ finished: true })
}

/** What a server responded with: a payload, or a plain text, which only the caller sees. Throws PayloadError. */
export function convertImmediate(content: string, contentType: string): CommandResponse {
  const text = cleanText(content)
  if (/^application\/(json|x-www-form-urlencoded)\b/i.test(contentType))
    return convertResponse(text, contentType)
  return { body: slackMessage({ text }).body, in_channel: false, replaces: false }
}

/**
 * A payload of Slack's: `response_type` is "ephemeral" unless it is "in_channel"; `replace_original` and
 * `delete_original` concern what the caller saw before. Throws PayloadError.
 */
function convertResponse(content: string, contentType: string): CommandResponse {
  const payload = parsePayload(content, contentType)
  const isDeletion = payload['delete_original'] === true
  const hasContent = ['text', 'blocks', 'attachments'].some((key) => {
    const value = payload[key]
    return (typeof value === 'string' || Array.isArray(value)) && value.length > 0
  })
  return {
    // An empty object confirms that the invocation was received.
    body:
      !hasContent && (isDeletion || Object.keys(payload).length === 0) ? null : slackMessage(payload).body,
    in_channel: payload['response_type'] === 'in_channel',
    replaces: isDeletion || payload['replace_original'] === true,
  }
}
