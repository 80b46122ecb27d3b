import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { JsonFrame, ServerFrame } from '../../wire/realtime.ts'
import { rawSocket, type RawSocket } from '../integration/realtime/rawSocket.ts'
import type { Names } from './namedValues.ts'
import type { Actor, Row } from './readMatrix.ts'
import type { Outcome } from './checkRest.ts'
import type { PermissionFixture } from './fixture.ts'

/** Generous, since the machine may be busy. */
const TIMEOUT_MS = 240_000

const textOf = (frame: ServerFrame): string =>
  frame.broadcast
    ? `${frame.broadcast.event} ${frame.broadcast.body.toString()}`
    : JSON.stringify(frame.payload)

/** `channel:closed:now` with the ids and the epoch that it stands for; `before` and `after` are the epochs beside it. */
function topicOf(written: string, names: Names, epochs: Map<string, number>): string {
  const parts = written.split(':').map((part, index) => (index > 0 && names[part]) || part)
  const epoch = epochs.get(parts[1] ?? '') ?? 1
  const when: Record<string, number> = { before: epoch - 1, now: epoch, after: epoch + 1 }
  return parts.map((part) => when[part] ?? part).join(':')
}

/** One socket per actor, and for each topic that is written to one socket of a permitted subscriber. */
export class TopicChecks {
  readonly #fixture: PermissionFixture
  readonly #epochs: Map<string, number>
  readonly #sockets = new Map<Actor, RawSocket>()
  readonly #subscribers = new Map<string, Promise<RawSocket>>()
  readonly #open: RawSocket[] = []

  private constructor(fixture: PermissionFixture, epochs: Map<string, number>) {
    this.#fixture = fixture
    this.#epochs = epochs
  }

  static async open(fixture: PermissionFixture): Promise<TopicChecks> {
    const rows = await fixture.base.service((s) =>
      s.rows<{ id: string; epoch: string }>(
        `select channel_id as id, epoch from public.channel_counters
         union all select workspace_id, epoch from public.workspace_counters`,
      ),
    )
    return new TopicChecks(fixture, new Map(rows.map(({ id, epoch }) => [id, Number(epoch)])))
  }

  async #connect(): Promise<RawSocket> {
    const { localUrl, publishableKey } = this.#fixture.backend
    const socket = await rawSocket({ url: localUrl, anonKey: publishableKey })
    this.#open.push(socket)
    return socket
  }

  async #socketOf(actor: Actor): Promise<RawSocket> {
    const socket = this.#sockets.get(actor) ?? (await this.#connect())
    this.#sockets.set(actor, socket)
    return socket
  }

  async #join(socket: RawSocket, topic: string, actor: Actor, config: object): Promise<Outcome> {
    const token = this.#fixture.token(actor)
    const { status, response } = await socket.join(`realtime:${topic}`, {
      config: { private: true, ...config },
      ...(token !== null && { access_token: token }),
    })
    const outcome = status === 'ok' ? 'yes' : this.#refusal(String((response as { reason?: string }).reason))
    return { outcome, received: JSON.stringify(response), sent: topic }
  }

  #refusal(reason: string): string {
    if (reason.startsWith('Unauthorized: You do not have permissions to read')) return 'denied'
    // Policies refuse this caller every topic, whether it exists or not; the reason names the token alone.
    if (reason === 'Unauthorized: The session of this token has ended') return 'denied'
    return reason.startsWith('PrivateOnly') ? 'private_only' : reason
  }

  /**
   * Executes the operation of one matrix row as one actor. Operations of an actor run one after the other. A missing
   * response is an outcome of its own: a closed socket would be awaited forever.
   */
  async check(row: Row, actor: Actor): Promise<Outcome> {
    const answered = new AbortController()
    const timeout = setTimeout(
      TIMEOUT_MS,
      { outcome: 'no answer', received: '', sent: '' },
      { signal: answered.signal },
    )
    try {
      return await Promise.race([this.#checkEntry(row, actor), timeout])
    } finally {
      answered.abort()
      timeout.catch(() => {})
    }
  }

  async #checkEntry(row: Row, actor: Actor): Promise<Outcome> {
    const [written, operation] = row.target as [string, string]
    const topic = topicOf(written, this.#fixture.namesFor(actor), this.#epochs)
    const socket = await this.#socketOf(actor)
    if (operation === 'join') return this.#join(socket, topic, actor, {})
    if (operation === 'join publicly') return this.#join(socket, topic, actor, { private: false })
    if (operation.startsWith('changes of '))
      return this.#subscribeToChanges(socket, topic, actor, operation.slice(11))
    return this.#send(socket, topic, actor, operation)
  }

  /** Whether a subscription to `postgres_changes` of a table is accepted. */
  async #subscribeToChanges(socket: RawSocket, topic: string, actor: Actor, table: string): Promise<Outcome> {
    const seen = socket.frames.length
    const joined = await this.#join(socket, topic, actor, {
      postgres_changes: [{ event: '*', schema: 'public', table }],
    })
    if (joined.outcome !== 'yes') return joined
    const isAnswer = (frame: ServerFrame): boolean =>
      !frame.broadcast &&
      frame.event === 'system' &&
      (frame.payload as { extension?: string }).extension === 'postgres_changes' &&
      socket.frames.indexOf(frame) >= seen
    const { payload } = (await socket.find(isAnswer)) as JsonFrame
    const { status, message } = payload as { status: string; message: string }
    if (status === 'ok') return { ...joined, received: message }
    const outcome = message.startsWith('Unable to subscribe to changes') ? 'not_subscribed' : message
    return { ...joined, outcome, received: message }
  }

  /** Sends to a topic by socket or by HTTP, and checks whether a permitted subscriber receives it. */
  async #send(socket: RawSocket, topic: string, actor: Actor, operation: string): Promise<Outcome> {
    const subscriber = await this.#subscriberOf(topic)
    const mark = `forged ${randomUUID()}`
    let receivedText = ''
    if (operation === 'broadcast') {
      const payload = { type: 'broadcast', event: 'message', payload: { mark } }
      socket.send({ topic: `realtime:${topic}`, event: 'broadcast', payload })
    } else if (operation === 'track') {
      const payload = { type: 'presence', event: 'track', payload: { mark } }
      socket.send({ topic: `realtime:${topic}`, event: 'presence', payload })
    } else if (operation === 'post') {
      const messages = [true, false].map((open) => ({
        topic,
        event: 'message',
        payload: { mark },
        private: !open,
      }))
      const { text } = await this.#fixture.client.request(
        '/realtime/v1/api/broadcast',
        this.#fixture.token(actor),
        {
          method: 'POST',
          body: JSON.stringify({ messages }),
        },
      )
      receivedText = text
    } else throw new Error(`${operation} is no operation on a topic`)
    await socket.sendHeartbeat()
    // Frames of a topic keep their order: everything sent before this control message has arrived when it arrives.
    const control = `control ${randomUUID()}`
    await this.#fixture.base.service(
      (s) => s.rows(`select realtime.send($1, 'control', $2, true)`, [{ control }, topic]),
      true,
    )
    await subscriber.find((frame) => textOf(frame).includes(control))
    const received = subscriber.frames.some((frame) => textOf(frame).includes(mark))
    return { outcome: received ? 'yes' : '–', received: receivedText, sent: topic }
  }

  /**
   * A permitted subscriber of that topic. The promise is cached, not the socket: a caller that got a socket which is
   * still joining would send before anybody is subscribed, and wait in vain.
   */
  #subscriberOf(topic: string): Promise<RawSocket> {
    const existing = this.#subscribers.get(topic) ?? this.#subscribe(topic)
    this.#subscribers.set(topic, existing)
    return existing
  }

  async #subscribe(topic: string): Promise<RawSocket> {
    const subscriber = await this.#connect()
    for (const actor of ['bea', 'zoe', 'ann', 'eli'] as const) {
      const { outcome } = await this.#join(subscriber, topic, actor, {
        presence: { key: 'ear', enabled: true },
      })
      if (outcome === 'yes') return subscriber
    }
    throw new Error(`Nobody may subscribe to ${topic}, so nothing could be received.`)
  }

  close(): void {
    for (const { socket } of this.#open) socket.terminate()
  }
}
