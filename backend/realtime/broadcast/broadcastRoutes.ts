import { Hono, type Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { callerKey, withNetwork } from '../../budgets/callerKey.ts'
import { serverCallerKey } from '../../budgets/createBudget.ts'
import type { Caller, ServiceEnv } from '../../../wire/claims.ts'
import type { Permission } from '../authorization/checkPolicies.ts'
import { parseBatch, parseJson, parseSingle, type OutgoingMessage } from './broadcastBody.ts'
import type { RealtimeContext } from '../context.ts'
import { newMessageId, parsePersist, type Persist } from './messageStore.ts'
import { topicKey } from '../sockets/subTopic.ts'
import { identifyCaller } from '../authorization/token.ts'

type RouteContext = Context<ServiceEnv>

/** The lower bound of the limit of a body, as in the hosted service. */
const minBodyLimitBytes = 8_000_000
/** The maximum number of private topics of one request. The policies of each are checked. */
const maxPrivateTopics = 100
const exceeded = 'You have exceeded your rate limit'

/**
 * Creates the routes `POST /api/broadcast` and `POST /api/broadcast/:topic/events/:event`, with the responses of the
 * hosted service.
 */
export function broadcastRoutes(context: RealtimeContext): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>()
  const { settings, events } = context

  app.use(
    bodyLimit({
      maxSize: Math.max(minBodyLimitBytes, settings.maxPayloadBytes * 2),
      onError: (c) => c.json({ message: 'Request Entity Too Large' }, 413),
    }),
  )

  /** Returns the caller of a request; null if its token is invalid. */
  const callerOf = async (c: RouteContext): Promise<Caller | null> => {
    const bearer = c.get('bearer')
    if (!bearer) return c.get('apiCaller')
    const identified = await identifyCaller(context.verifyToken, bearer)
    return identified.ok ? withNetwork(identified.caller, c.get('apiCaller')) : null
  }

  /**
   * Counts each message for its caller: once, and once for each subscriber. Returns false if that exceeds the
   * caller's limit.
   */
  const countMessages = (caller: Caller, messages: OutgoingMessage[]): boolean => {
    const key = callerKey(caller)
    const readers = messages.map(({ topic, ...message }) =>
      context.hub.size(topicKey(topic, message.private)),
    )
    return events.take(
      // The service key belongs to the project's own servers, which only `max_events_per_second` limits.
      key === 'service_role' ? serverCallerKey : key,
      readers.reduce((sum, size) => sum + size, messages.length),
    )
  }

  const publish = (message: OutgoingMessage): void => {
    const { topic, event, encoding, payload } = message
    context.hub.publish(topicKey(topic, message.private), topic, {
      kind: 'broadcast',
      broadcast: { event, encoding, body: payload, meta: message.id === null ? null : { id: message.id } },
    })
  }

  /** Returns the error response if the caller may not broadcast or store a message; otherwise null. */
  const checkWrite = async (
    c: RouteContext,
    caller: Caller,
    topic: string,
    permissions: Permission[],
  ): Promise<Response | null> => {
    const result = await context.authorizer.check({ caller, topic, verb: 'write', extensions: permissions })
    switch (result.outcome) {
      case 'unavailable':
        return c.json({ message: 'Tenant database unavailable' }, 422)
      case 'refused':
        if (result.why === 'session-ended') return c.json({ message: 'Unauthorized' }, 403)
        return c.json({ message: result.why === 'too-slow' ? 'Query canceled' : 'RLS policy error' }, 422)
      case 'checked':
        if (permissions.every((permission) => result.allowed.includes(permission))) return null
        return c.json({ message: 'Unauthorized' }, 403)
    }
  }

  const store = (
    { topic, event, encoding, payload, id }: OutgoingMessage,
    persist: Persist,
  ): Promise<boolean> =>
    context.messages.store({
      id: id!,
      topic,
      broadcast: { event, encoding, body: payload, meta: null },
      persist,
    })

  app.post('/api/broadcast', async (c) => {
    const caller = await callerOf(c)
    if (!caller) return c.json({ message: 'Unauthorized' }, 401)
    const body = parseJson(Buffer.from(await c.req.arrayBuffer()))
    if (body === undefined) return c.json({ message: 'Bad Request' }, 400)
    const parsed = parseBatch(body, settings.maxPayloadBytes)
    if ('errors' in parsed) return c.json(parsed, 422)
    const { messages } = parsed
    if (messages.length > settings.maxEventsPerSecond) {
      return c.json({ message: 'Too many messages to broadcast, please reduce the batch size' }, 429)
    }
    if (!countMessages(caller, messages)) return c.json({ message: exceeded }, 429)
    const byTopic = privateByTopic(messages)
    if (byTopic.size > maxPrivateTopics) {
      return c.json({ errors: { messages: ['have too many private topics'] } }, 422)
    }
    for (const message of messages) if (!message.private) publish(message)
    // A refused topic is skipped without an error, so that the response reveals nothing about it.
    await Promise.all(
      [...byTopic].map(async ([topic, ofTopic]) => {
        if ((await checkWrite(c, caller, topic, ['broadcast'])) === null) ofTopic.forEach(publish)
      }),
    )
    return c.body(null, 202)
  })

  app.post('/api/broadcast/:topic/events/:event', async (c) => {
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'application/json'
    if (type !== 'application/json' && type !== 'application/octet-stream') {
      const error = 'Unsupported Media Type. Use application/json or application/octet-stream'
      return c.json({ error }, 415)
    }
    const caller = await callerOf(c)
    if (!caller) return c.json({ message: 'Unauthorized' }, 401)
    const isPrivate = c.req.query('private') === 'true'
    const persist = persistOf(c)
    if (persist === 'invalid') return c.json({ errors: { persist: ['is invalid'] } }, 422)
    if (persist && !isPrivate) {
      return c.json({ errors: { persist: ['can only be used on private channels'] } }, 422)
    }
    const message = parseSingle(
      {
        ...c.req.param(),
        private: isPrivate,
        encoding: type === 'application/json' ? 'json' : 'binary',
        body: Buffer.from(await c.req.arrayBuffer()),
      },
      settings.maxPayloadBytes,
    )
    if (message === null) return c.json({ message: 'Bad Request' }, 400)
    if ('errors' in message) return c.json(message, 422)
    if (!countMessages(caller, [message])) return c.json({ message: exceeded }, 429)
    if (isPrivate) {
      const permissions: Permission[] = persist ? ['broadcast', 'persistence'] : ['broadcast']
      const refusal = await checkWrite(c, caller, message.topic, permissions)
      if (refusal) return refusal
    }
    if (!persist) publish(message)
    else {
      // Published only once it is stored: the caller may repeat the request otherwise.
      message.id = newMessageId()
      if (!(await store(message, persist))) return c.json({ message: 'The message could not be stored' }, 503)
      publish(message)
    }
    return c.body(null, 202)
  })

  app.notFound((c) => c.json({ message: 'Not Found' }, 404))
  app.onError((error, c) => {
    context.log.error('realtime.request_failed', { reason: error.message })
    return c.json({ message: 'Unknown error' }, 422)
  })
  return app
}

function privateByTopic(messages: OutgoingMessage[]): Map<string, OutgoingMessage[]> {
  const byTopic = new Map<string, OutgoingMessage[]>()
  for (const message of messages) {
    if (!message.private) continue
    const existing = byTopic.get(message.topic)
    if (existing) existing.push(message)
    else byTopic.set(message.topic, [message])
  }
  return byTopic
}

/** `persist=true`, or `persist[ttl]=` seconds, as realtime-js writes it. */
function persistOf(c: RouteContext): ReturnType<typeof parsePersist> {
  const ttl = c.req.query('persist[ttl]')
  if (ttl !== undefined) return parsePersist({ ttl: /^\d+$/.test(ttl) ? Number(ttl) : null })
  return parsePersist(c.req.query('persist') === 'true')
}
