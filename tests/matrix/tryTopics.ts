import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { JsonFrame, ServerFrame } from '../../wire/realtime.ts'
import { rawSocket, type RawSocket } from '../contract/realtime/rawSocket.ts'
import type { Names } from './given.ts'
import type { Actor, Row } from './readRows.ts'
import type { Outcome } from './tryRest.ts'
import type { MatrixWorld } from './world.ts'

/** Milliseconds, for a machine that does much else. */
const PATIENCE = 15_000

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

/** Sockets of everyone who tries, and of one who may hear, beside each topic that is spoken on. */
export class TopicTrials {
  readonly #world: MatrixWorld
  readonly #epochs: Map<string, number>
  readonly #sockets = new Map<Actor, RawSocket>()
  readonly #ears = new Map<string, Promise<RawSocket>>()
  readonly #open: RawSocket[] = []

  private constructor(world: MatrixWorld, epochs: Map<string, number>) {
    this.#world = world
    this.#epochs = epochs
  }

  static async open(world: MatrixWorld): Promise<TopicTrials> {
    const rows = await world.world.service((s) =>
      s.rows<{ id: string; epoch: string }>(
        `select channel_id as id, epoch from public.channel_counters
         union all select workspace_id, epoch from public.workspace_counters`,
      ),
    )
    return new TopicTrials(world, new Map(rows.map(({ id, epoch }) => [id, Number(epoch)])))
  }

  async #connect(): Promise<RawSocket> {
    const { localUrl, publishableKey } = this.#world.backend
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
    const token = this.#world.token(actor)
    const { status, response } = await socket.join(`realtime:${topic}`, {
      config: { private: true, ...config },
      ...(token !== null && { access_token: token }),
    })
    const outcome = status === 'ok' ? 'yes' : this.#refusal(String((response as { reason?: string }).reason))
    return { outcome, told: JSON.stringify(response), named: topic }
  }

  #refusal(reason: string): string {
    if (reason.startsWith('Unauthorized: You do not have permissions to read')) return 'denied'
    // Policies refuse this caller every topic, whether it exists or not; the reason names the token alone.
    if (reason === 'Unauthorized: The session of this token has ended') return 'denied'
    return reason.startsWith('PrivateOnly') ? 'private_only' : reason
  }

  /**
   * Does what one line of cells says as one actor. Turns of the same actor go one after the other. What is not
   * answered at all is told as that, since a closed socket would be waited for without end.
   */
  async try(row: Row, actor: Actor): Promise<Outcome> {
    const silence = new AbortController()
    const quiet = setTimeout(
      PATIENCE,
      { outcome: 'no answer', told: '', named: '' },
      { signal: silence.signal },
    )
    try {
      return await Promise.race([this.#try(row, actor), quiet])
    } finally {
      silence.abort()
      quiet.catch(() => {})
    }
  }

  async #try(row: Row, actor: Actor): Promise<Outcome> {
    const [written, way] = row.said as [string, string]
    const topic = topicOf(written, this.#world.namesFor(actor), this.#epochs)
    const socket = await this.#socketOf(actor)
    if (way === 'join') return this.#join(socket, topic, actor, {})
    if (way === 'join in the open') return this.#join(socket, topic, actor, { private: false })
    if (way.startsWith('changes of ')) return this.#askForChanges(socket, topic, actor, way.slice(11))
    return this.#speak(socket, topic, actor, way)
  }

  /** Whether rows of a table are told on a topic, as `postgres_changes` would. */
  async #askForChanges(socket: RawSocket, topic: string, actor: Actor, table: string): Promise<Outcome> {
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
    if (status === 'ok') return { ...joined, told: message }
    const outcome = message.startsWith('Unable to subscribe to changes') ? 'not_told' : message
    return { ...joined, outcome, told: message }
  }

  /** Says something on a topic by socket or by HTTP, to the hearing of somebody who belongs there. */
  async #speak(socket: RawSocket, topic: string, actor: Actor, way: string): Promise<Outcome> {
    const ear = await this.#earAt(topic)
    const mark = `forged ${randomUUID()}`
    let told = ''
    if (way === 'speak') {
      const payload = { type: 'broadcast', event: 'message', payload: { mark } }
      socket.send({ topic: `realtime:${topic}`, event: 'broadcast', payload })
    } else if (way === 'track') {
      const payload = { type: 'presence', event: 'track', payload: { mark } }
      socket.send({ topic: `realtime:${topic}`, event: 'presence', payload })
    } else if (way === 'post') {
      const messages = [true, false].map((open) => ({
        topic,
        event: 'message',
        payload: { mark },
        private: !open,
      }))
      const { text } = await this.#world.asker.ask('/realtime/v1/api/broadcast', this.#world.token(actor), {
        method: 'POST',
        body: JSON.stringify({ messages }),
      })
      told = text
    } else throw new Error(`${way} is no way to use a topic`)
    await socket.beat()
    // Frames of one topic keep their order: what was heard before this was heard.
    const control = `said by the database ${randomUUID()}`
    await this.#world.world.service(
      (s) => s.rows(`select realtime.send($1, 'control', $2, true)`, [{ control }, topic]),
      true,
    )
    await ear.find((frame) => textOf(frame).includes(control))
    const heard = ear.frames.some((frame) => textOf(frame).includes(mark))
    return { outcome: heard ? 'yes' : '–', told, named: topic }
  }

  /**
   * Someone who listens on that topic by right. The promise is kept, not the socket: whoever asked while the first
   * was still joining would speak to an ear that isn't there yet, and wait for what nobody heard.
   */
  #earAt(topic: string): Promise<RawSocket> {
    const known = this.#ears.get(topic) ?? this.#listenAt(topic)
    this.#ears.set(topic, known)
    return known
  }

  async #listenAt(topic: string): Promise<RawSocket> {
    const ear = await this.#connect()
    for (const actor of ['bea', 'zoe', 'ann', 'eli'] as const) {
      const { outcome } = await this.#join(ear, topic, actor, { presence: { key: 'ear', enabled: true } })
      if (outcome === 'yes') return ear
    }
    throw new Error(`Nobody may listen on ${topic}, so nothing could be heard there.`)
  }

  close(): void {
    for (const { socket } of this.#open) socket.terminate()
  }
}
