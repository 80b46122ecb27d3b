/** A broadcast sent over HTTP. */
export interface OutgoingMessage {
  topic: string
  event: string
  /** JSON text in UTF-8, or arbitrary bytes if `encoding` is `binary`. */
  payload: Buffer
  encoding: 'json' | 'binary'
  private: boolean
  id: string | null
}

/** Errors by field, in the form of the hosted service. */
export interface ValidationErrors {
  errors: Record<string, unknown>
}

/** Messages of one request. */
const maxMessages = 1_000
const tooLarge = 'Payload size exceeds tenant limit'
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The JSON in `bytes`; undefined if it is invalid JSON or UTF-8. An empty body counts as an empty object. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown
  } catch {
    return undefined
  }
}

/** The messages of `{"messages": […]}`, or the errors of each. */
export function parseBatch(
  body: unknown,
  maxPayloadBytes: number,
): { messages: OutgoingMessage[] } | ValidationErrors {
  const list = (body as { messages?: unknown } | null)?.messages
  if (list === undefined || list === null) return { errors: { messages: ["can't be blank"] } }
  if (!Array.isArray(list)) return { errors: { messages: ['is invalid'] } }
  if (list.length === 0) return { errors: { messages: ["can't be blank"] } }
  if (list.length > maxMessages) return { errors: { messages: ['are too many'] } }
  if (!list.every(isRecord)) return { errors: { messages: ['is invalid'] } }
  const parsed = list.map((fields) => parseMessage(fields, maxPayloadBytes))
  if (parsed.some(({ errors }) => Object.keys(errors).length > 0)) {
    return { errors: { messages: parsed.map(({ errors }) => errors) } }
  }
  return { messages: parsed.map(({ message }) => message) }
}

function parseMessage(
  fields: Record<string, unknown>,
  maxPayloadBytes: number,
): { message: OutgoingMessage; errors: Record<string, string[]> } {
  const errors: Record<string, string[]> = {}
  const text = (name: 'topic' | 'event'): string => {
    const value = fields[name]
    if (value === undefined || value === null) errors[name] = ["can't be blank"]
    else if (typeof value !== 'string') errors[name] = ['is invalid']
    else if (value.trim() === '') errors[name] = ["can't be blank"]
    return String(value)
  }
  const message: OutgoingMessage = {
    topic: text('topic'),
    event: text('event'),
    payload: renderPayload(fields['payload']) ?? Buffer.alloc(0),
    encoding: 'json',
    private: toBoolean(fields['private']) ?? false,
    id: typeof fields['id'] === 'string' ? fields['id'] : null,
  }
  if (fields['payload'] === undefined || fields['payload'] === null) errors['payload'] = ["can't be blank"]
  else if (message.payload.length === 0) errors['payload'] = ['is invalid']
  else if (message.payload.length > maxPayloadBytes) errors['payload'] = [tooLarge]
  if (toBoolean(fields['private']) === null) errors['private'] = ['is invalid']
  return { message, errors }
}

/** An object as JSON; null for any other value, and for one too deeply nested to be serialised. */
function renderPayload(payload: unknown): Buffer | null {
  if (!isRecord(payload)) return null
  try {
    return Buffer.from(JSON.stringify(payload))
  } catch {
    return null
  }
}

/** As the hosted service casts it: also "true", "1" and 1; null for an invalid value. */
function toBoolean(value: unknown): boolean | null {
  if ([undefined, null, '', false, 'false', '0', 0].includes(value as never)) return false
  return [true, 'true', '1', 1].includes(value as never) ? true : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The message whose payload is the whole body. Null if the body is not JSON. */
export function parseSingle(
  o: { topic: string; event: string; private: boolean; encoding: 'json' | 'binary'; body: Buffer },
  maxPayloadBytes: number,
): OutgoingMessage | ValidationErrors | null {
  const { topic, event, encoding } = o
  let payload = o.body
  if (encoding === 'json') {
    const value = parseJson(payload)
    if (value === undefined) return null
    // A value that is not an object is wrapped in one, as in the hosted service.
    if (payload.length === 0) payload = Buffer.from('{}')
    else if (!isRecord(value)) payload = Buffer.concat([Buffer.from('{"_json":'), payload, Buffer.from('}')])
  }
  const errors: Record<string, string[]> = {}
  if (topic.trim() === '') errors['topic'] = ["can't be blank"]
  if (event.trim() === '') errors['event'] = ["can't be blank"]
  if (payload.length > maxPayloadBytes) errors['payload'] = [tooLarge]
  if (Object.keys(errors).length > 0) return { errors }
  return { topic, event, payload, encoding, private: o.private, id: null }
}
