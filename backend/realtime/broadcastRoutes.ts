import { Hono, type Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Caller, ServiceEnv } from '../../wire/claims.ts'
import type { RealtimeContext } from './context.ts'
import { topicKey } from './subTopic.ts'
import { identify } from './token.ts'

interface Outgoing {
  topic: string
  event: string
  payload: Buffer
  encoding: 'json' | 'binary'
  private: boolean
  id: string | null
}

/** Messages of one request. */
const mostMessages = 1_000
/** Private topics of one request: the policies of each are asked. */
const mostPrivateTopics = 100

/** `POST /api/broadcast` and `POST /api/broadcast/:topic/events/:event`, with the answers of the hosted service. */
export function broadcastRoutes(context: RealtimeContext): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>()
  const { settings, events } = context

  app.use(
    bodyLimit({
      maxSize: settings.maxPayloadBytes * 2,
      onError: (c) => c.json({ errors: { payload: ['Payload size exceeds tenant limit'] } }, 422),
    }),
  )

  /** Who asks; null where the token is bad. */
  const callerOf = async (c: Context<ServiceEnv>): Promise<Caller | null> => {
    const bearer = c.get('bearer')
    if (bearer === null) return c.get('apiCaller')
    const identified = await identify(context.verifyToken, bearer)
    return identified.ok ? identified.caller : null
  }

  const mayWrite = async (caller: Caller, topic: string): Promise<boolean | null> => {
    const answer = await context.authoriser.ask({ caller, topic, verb: 'write', extensions: ['broadcast'] })
    if (answer.outcome === 'unavailable') return null
    return answer.outcome === 'answered' && answer.allowed.length > 0
  }

  const publish = (message: Outgoing): void => {
    const { topic, event, encoding, payload } = message
    events.add(1)
    context.hub.publish(topicKey(topic, message.private), topic, {
      kind: 'broadcast',
      broadcast: { event, encoding, body: payload, meta: message.id === null ? null : { id: message.id } },
    })
  }

  app.post('/api/broadcast', async (c) => {
    const caller = await callerOf(c)
    if (!caller) return c.json({ message: 'Unauthorized' }, 401)
    const parsed = parseBatch(await c.req.json().catch(() => null), settings.maxPayloadBytes)
    if ('errors' in parsed) return c.json({ errors: parsed.errors }, 422)
    const { messages } = parsed
    if (events.exceeded()) return c.json({ message: 'You have exceeded your rate limit' }, 429)
    if (messages.length + events.average() > settings.maxEventsPerSecond) {
      return c.json({ message: 'Too many messages to broadcast, please reduce the batch size' }, 429)
    }
    if (privateTopics(messages).size > mostPrivateTopics) {
      return c.json({ errors: { messages: ['have too many private topics'] } }, 422)
    }
    for (const message of messages) if (!message.private) publish(message)
    // A refused topic is passed over in silence, so that the answer tells nothing of it.
    const topics = privateTopics(messages)
    await Promise.all(
      [...topics].map(async (topic) => {
        if (!(await mayWrite(caller, topic))) return
        for (const message of messages) if (message.private && message.topic === topic) publish(message)
      }),
    )
    return c.body(null, 202)
  })

  app.post('/api/broadcast/:topic/events/:event', async (c) => {
    const caller = await callerOf(c)
    if (!caller) return c.json({ message: 'Unauthorized' }, 401)
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (type !== 'application/json' && type !== 'application/octet-stream') {
      return c.json({ message: 'Unsupported Media Type' }, 415)
    }
    const payload = Buffer.from(await c.req.arrayBuffer())
    const encoding = type === 'application/json' ? 'json' : 'binary'
    if (encoding === 'json' && !isJson(payload)) return c.json({ message: 'Bad Request' }, 400)
    if (payload.length > settings.maxPayloadBytes) {
      return c.json({ errors: { payload: ['Payload size exceeds tenant limit'] } }, 422)
    }
    if (events.exceeded()) return c.json({ message: 'You have exceeded your rate limit' }, 429)
    const { topic, event } = c.req.param()
    const isPrivate = c.req.query('private') === 'true'
    if (isPrivate) {
      if (c.req.query('persist') !== undefined || c.req.query('persist[ttl]') !== undefined) {
        return c.json({ message: 'Storing a message is not available on this server yet' }, 501)
      }
      const allowed = await mayWrite(caller, topic)
      if (allowed === null) return c.json({ message: 'Tenant database unavailable' }, 422)
      if (!allowed) return c.json({ message: 'Unauthorized' }, 403)
    }
    publish({ topic, event, payload, encoding, private: isPrivate, id: null })
    return c.body(null, 202)
  })

  app.notFound((c) => c.json({ message: 'Not Found' }, 404))
  app.onError((error, c) => {
    context.log.error('realtime request failed', { reason: error.message })
    return c.json({ message: 'Unknown error' }, 422)
  })
  return app
}

function privateTopics(messages: Outgoing[]): Set<string> {
  return new Set(messages.filter((message) => message.private).map((message) => message.topic))
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString())
    return true
  } catch {
    return false
  }
}

/** Errors by field and message, as the hosted service lists them. */
function parseBatch(
  body: unknown,
  maxPayloadBytes: number,
): { messages: Outgoing[] } | { errors: Record<string, unknown> } {
  const list = (body as { messages?: unknown } | null)?.messages
  if (!Array.isArray(list) || list.length === 0) return { errors: { messages: ["can't be blank"] } }
  if (list.length > mostMessages) return { errors: { messages: ['are too many'] } }
  const errors: Record<string, string[]>[] = []
  const messages = list.map((item: unknown): Outgoing => {
    const fields = (typeof item === 'object' && item !== null ? item : {}) as Record<string, unknown>
    const { topic, event, payload, id } = fields
    const wrong: Record<string, string[]> = {}
    if (typeof topic !== 'string' || topic === '') wrong['topic'] = ["can't be blank"]
    if (typeof event !== 'string' || event === '') wrong['event'] = ["can't be blank"]
    const isMap = typeof payload === 'object' && payload !== null && !Array.isArray(payload)
    const bytes = isMap ? Buffer.from(JSON.stringify(payload)) : Buffer.alloc(0)
    if (!isMap) wrong['payload'] = [payload === undefined ? "can't be blank" : 'is invalid']
    else if (bytes.length > maxPayloadBytes) wrong['payload'] = ['Payload size exceeds tenant limit']
    errors.push(wrong)
    return {
      topic: topic as string,
      event: event as string,
      payload: bytes,
      encoding: 'json',
      private: fields['private'] === true || fields['private'] === 'true',
      id: typeof id === 'string' ? id : null,
    }
  })
  if (errors.some((wrong) => Object.keys(wrong).length > 0)) return { errors: { messages: errors } }
  return { messages }
}
