import { setTimeout as delay } from 'node:timers/promises'
import { parseServerFrame, renderClientFrame, type ServerFrame } from '../../wire/realtime.ts'
import type { Bootstrap, Digests, Heartbeat } from '../../wire/sync.ts'
import { channelTopic, userTopic, workspaceTopic } from '../../wire/events.ts'
import { rawReader } from '../load/rawReader.ts'
import { serveTasks } from '../load/serveTasks.ts'
import type { Caller } from './createWorkspace.ts'
import { createTimedClient, type TimedClient } from './callTimed.ts'

export interface HerdServer {
  url: string
  publishableKey: string
}

/** `store` fetches what each caller stores; then `reconnect` starts all of them at once, and `revs` returns what they have. */
export type HerdTask =
  | { kind: 'store'; server: HerdServer; callers: Caller[] }
  | { kind: 'reconnect'; server: HerdServer }
  | { kind: 'finish'; revs: [channel: string, rev: number][] }

export interface HerdResult {
  /** Of each client, in ms since the task began: its rows are those of the server; all its topics are joined too. */
  current?: number[]
  joined?: number[]
  /** Requests, sockets and joins that were refused, each of which was repeated. */
  refused?: number
  /** Clients that lack one of these changes. */
  behind?: number
}

/** Opcodes of WebSocket frames. */
const TEXT = 1
const BINARY = 2
/** First starts at a time. */
const PENDING_STARTS = 20

interface HerdClient {
  caller: Caller
  /** What it has stored: digests, and the rev and epoch of each channel. */
  digests: Digests
  revs: Map<string, number>
  topics: string[]
  workspace: string
  http: TimedClient | null
}

/** Delay before what was refused is sent again: a second, and as long at most, so that clients do not repeat together. */
const retryDelay = (): number => 1_000 + Math.random() * 1_000

/** Stores the rows of a response, as the application's store does with `digests`. */
function merge(client: HerdClient, { digests, channels }: Pick<Bootstrap, 'digests' | 'channels'>): void {
  client.digests = { ...client.digests, ...digests }
  for (const { channel, counters } of channels) raise(client, channel.id, counters.rev)
}

function raise(client: HerdClient, channel: string, rev: number): void {
  client.revs.set(channel, Math.max(rev, client.revs.get(channel) ?? 0))
}

function receive(client: HerdClient, frame: ServerFrame): void {
  if (frame.broadcast?.encoding !== 'json') return
  const payload = JSON.parse(Buffer.from(frame.broadcast.body).toString()) as Record<string, unknown>
  const { channel_id: channel, rev } = payload
  if (typeof channel === 'string' && typeof rev === 'number') raise(client, channel, rev)
}

/** The first start and heartbeat: the topics are the latest channels beside the person's own and the workspace. */
async function createHerdClient(server: HerdServer, caller: Caller): Promise<HerdClient> {
  const http = createTimedClient(server, caller.token)
  const { response } = await http.call<Bootstrap>('bootstrap', {})
  const workspace = response.workspace!.id
  const heartbeatArgs = { workspace, state: 'active', stored: response.digests }
  const heartbeat = await http.call<Heartbeat>('heartbeat', heartbeatArgs)
  http.close()
  const latest = response.channels
    .toSorted((a, b) => (b.last_message_at ?? '').localeCompare(a.last_message_at ?? ''))
    .slice(0, response.max_topics - 2)
  const client: HerdClient = {
    caller,
    workspace,
    digests: {},
    revs: new Map(),
    http: null,
    topics: [
      userTopic(caller.profile),
      workspaceTopic(workspace, response.workspace_counters!.epoch),
      ...latest.map(({ channel, counters }) => channelTopic(channel.id, counters.epoch)),
    ],
  }
  merge(client, response)
  merge(client, heartbeat.response)
  return client
}

/**
 * Connects and joins all topics, as a page does whose socket was lost. When its own topic is joined it fetches what has
 * changed; when all topics are, a heartbeat shows what was missed until then.
 */
async function reconnect(
  server: HerdServer,
  client: HerdClient,
  on: { refused: () => void; ended: () => void },
): Promise<{ current: number; joined: number }> {
  const http = createTimedClient(server, client.caller.token)
  client.http = http
  const call = async <Response>(name: string, args: object): Promise<Response> => {
    for (;;) {
      try {
        return (await http.call<Response>(name, args)).response
      } catch {
        on.refused()
        await delay(retryDelay())
      }
    }
  }
  const unjoined = new Set(client.topics)
  const own = client.topics[0]!
  let ownJoined = (): void => {}
  let allJoined = (): void => {}
  const whenOwnJoined = new Promise<void>((resolve) => {
    ownJoined = resolve
  })
  const whenAllJoined = new Promise<void>((resolve) => {
    allJoined = resolve
  })
  const send = await connectSocket(server, {
    onFrame(frame) {
      receive(client, frame)
      if (frame.broadcast || frame.event !== 'phx_reply') return
      const topic = frame.topic.slice('realtime:'.length)
      const { status } = frame.payload as { status: string }
      if (status !== 'ok') {
        on.refused()
        setTimeout(() => join(topic), retryDelay())
        return
      }
      unjoined.delete(topic)
      if (topic === own) ownJoined()
      if (unjoined.size === 0) allJoined()
    },
    refused: on.refused,
    ended: on.ended,
  })
  const join = (topic: string): void =>
    send(
      renderClientFrame('2.0.0', {
        joinRef: topic,
        ref: topic,
        topic: `realtime:${topic}`,
        event: 'phx_join',
        payload: { config: { private: true }, access_token: client.caller.token },
      }),
    )
  client.topics.forEach(join)
  await whenOwnJoined
  merge(client, await call<Bootstrap>('bootstrap', { stored: client.digests }))
  const current = performance.now()
  await whenAllJoined
  const joined = performance.now()
  merge(
    client,
    await call<Heartbeat>('heartbeat', {
      workspace: client.workspace,
      state: 'active',
      stored: client.digests,
    }),
  )
  return { current, joined }
}

async function connectSocket(
  server: HerdServer,
  on: { onFrame: (frame: ServerFrame) => void; ended: () => void; refused: () => void },
): Promise<(text: string) => void> {
  const url = `${server.url}/realtime/v1/websocket?apikey=${server.publishableKey}&vsn=2.0.0`
  for (;;) {
    try {
      const reader = await rawReader(url, {
        onFrame: (opcode, payload) => {
          if (opcode === TEXT) on.onFrame(parseServerFrame('2.0.0', payload.toString()))
          else if (opcode === BINARY) on.onFrame(parseServerFrame('2.0.0', payload))
        },
        onEnd: on.ended,
      })
      return reader.send
    } catch {
      on.refused()
      await delay(retryDelay())
    }
  }
}

/** The process of the clients, separate from the measuring process. */
export async function main(): Promise<number> {
  let clients: HerdClient[] = []
  const answer = async (task: HerdTask): Promise<HerdResult> => {
    if (task.kind === 'store') {
      const remaining = [...task.callers]
      clients = []
      const startNext = async (): Promise<void> => {
        for (let caller = remaining.pop(); caller; caller = remaining.pop())
          clients.push(await createHerdClient(task.server, caller))
      }
      await Promise.all(Array.from({ length: PENDING_STARTS }, startNext))
      return {}
    }
    if (task.kind === 'reconnect') {
      const begun = performance.now()
      let refused = 0
      const times = await new Promise<{ current: number; joined: number }[]>((resolve, reject) => {
        const on = {
          refused: () => void refused++,
          ended: () => reject(new Error('The server has closed a socket.')),
        }
        Promise.all(clients.map((client) => reconnect(task.server, client, on))).then(resolve, reject)
      })
      return {
        current: times.map((one) => one.current - begun),
        joined: times.map((one) => one.joined - begun),
        refused,
      }
    }
    const isBehind = (client: HerdClient): boolean =>
      task.revs.some(([channel, rev]) => (client.revs.get(channel) ?? 0) < rev)
    return { behind: clients.filter(isBehind).length }
  }
  return serveTasks(answer)
}
