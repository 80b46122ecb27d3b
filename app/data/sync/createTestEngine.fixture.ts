import type { CommandName } from '../../../wire/commands.ts'
import type { Heartbeat } from '../../../wire/sync.ts'
import type { ChannelEntry } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Outcome } from '../failures/failures.ts'
import { buildBootstrap, buildChannelEntry, buildHeartbeat } from '../store/buildRows.fixture.ts'
import { createEngine, type EngineOptions } from './engine.ts'
import type { TopicListener } from './ports.ts'
import { createTestTimers } from './createTestTimers.fixture.ts'
import { createStore } from '../store/store.ts'

/** A request of the engine, which the test answers or refuses. */
export interface PendingRequest {
  name: CommandName
  args: unknown
  respond: (value: unknown) => Promise<void>
  refuse: (name: string, again: boolean) => Promise<void>
}

const settle = () =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, 0)
  })

/** The engine with a clock, a server and a socket that the test controls. */
export function createTestEngine(options: Partial<EngineOptions> = {}) {
  const store = createStore()
  const requests: PendingRequest[] = []
  const topics = new Map<string, TopicListener>()
  const timers = createTestTimers(0)
  const engine = createEngine({
    ...options,
    store,
    ports: {
      call: (name, args) =>
        new Promise((resolve) => {
          const resolveWith = async (outcome: Outcome<unknown>) => {
            resolve(outcome as never)
            await settle()
          }
          requests.push({
            name,
            args,
            respond: (value) => resolveWith({ ok: true, value }),
            refuse: (reason, again) =>
              resolveWith({ ok: false, failure: { name: reason, message: '', isRetryable: again } }),
          })
        }),
      subscribe: (topic, listener) => {
        topics.set(topic, listener)
        return () => {
          if (topics.get(topic) === listener) topics.delete(topic)
        }
      },
      now: timers.clock,
      after: timers.after,
      random: () => 0.5,
      visible: () => true,
    },
  })
  const takeRequest = (name: CommandName): PendingRequest => {
    const index = requests.findIndex((one) => one.name === name)
    const [found] = index < 0 ? [] : requests.splice(index, 1)
    if (!found)
      throw new Error(
        `${name} was not requested, but ${requests.map((one) => one.name).join(', ') || 'nothing'}`,
      )
    return found
  }
  const advanceTime = async (ms: number) => {
    timers.advance(ms)
    await settle()
  }
  const begin = async (entries: ChannelEntry[], maxTopics = 30) => {
    engine.start()
    await takeRequest('bootstrap').respond(buildBootstrap(entries, { max_topics: maxTopics }))
  }
  const isRequested = (name: CommandName) => requests.some((one) => one.name === name)
  return { store, engine, topics, take: takeRequest, pass: advanceTime, begin, isRequested }
}

/** A heartbeat with these channels, each at a rev. */
export function heartbeatOf(channels: { id: Uuid; rev: number }[]): Heartbeat {
  const entries = channels.map(({ id, rev }) => {
    const entry = buildChannelEntry({
      counters: { last_seq: 10, rev, meta_rev: 1, epoch: 1, change_id: rev },
    })
    return { ...entry, channel: { ...entry.channel, id } }
  })
  return buildHeartbeat(entries, { workspace_counters: { rev: 4, epoch: 1 } })
}
