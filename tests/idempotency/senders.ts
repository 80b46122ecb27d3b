import { randomUUID } from 'node:crypto'
import { failureFrom, createFailure } from '../../app/data/failures/failures.ts'
import { createMemoryOutbox } from '../../app/data/persistence/memoryStorage.ts'
import { createOutbox } from '../../app/data/mutations/outbox.ts'
import type { Outbox } from '../../app/data/mutations/outbox.ts'
import type { Ports } from '../../app/data/sync/ports.ts'
import { createStore } from '../../app/data/store/store.ts'
import type { Uuid } from '../../wire/scalars.ts'
import type { TestClient } from './people.ts'
import type { Random } from '../support/random.ts'
import { CONNECTION_FAULTS } from './post.ts'
import type { ConnectionFault } from './post.ts'

/** Messages that must be stored in the end, in the order of writing. */
export interface ExpectedMessage {
  id: Uuid
  author: Uuid
  channel: Uuid
  root: Uuid | null
  alsoToChannel: boolean
  body: string
}

/** Timers run this many times as fast, or backoff would dominate the run. */
const TIME_FACTOR = 50

/** A connection fault with this probability. */
function drawFault(random: Random, probability: number): ConnectionFault {
  return (random.happens(probability) && random.pick(CONNECTION_FAULTS)) || 'none'
}

/** Sends by the app's outbox, in two tabs that both consider themselves the leader; resolves when both outboxes are empty. */
export async function sendThroughOutbox(
  client: TestClient,
  all: readonly ExpectedMessage[],
  faultProbability: number,
): Promise<void> {
  const outboxStorage = createMemoryOutbox(() => {})
  const tabs: Outbox[] = []
  const call: Ports['call'] = async (name, args) => {
    const { status, body } = await client.post(name, args, drawFault(client.random, faultProbability))
    if (status === 200) return { ok: true, value: body as never }
    return { ok: false, failure: status === 0 ? createFailure('network') : failureFrom(body, status) }
  }
  for (let tab = 0; tab < 2; tab += 1) {
    const outbox = createOutbox(createStore(), {
      call,
      after: (ms, run) => {
        const timer = setTimeout(run, ms / TIME_FACTOR)
        return () => clearTimeout(timer)
      },
      random: client.random.next,
      clock: () => performance.now() * TIME_FACTOR,
      uuid: randomUUID,
      storage: outboxStorage,
      upload: async () => ({ ok: true, value: undefined }),
      saveDraft: () => Promise.reject(new Error('No drafts are saved here.')),
      saveOwnRow: () => Promise.reject(new Error('No preferences are saved here.')),
      abandon: () => {},
      isLeader: () => true,
      announce: (answer) => {
        for (const other of tabs) if (other !== outbox) setImmediate(() => void other.reload(answer))
      },
    })
    tabs.push(outbox)
  }
  const done = new Promise<void>((resolve, reject) => {
    for (const tab of tabs) {
      tab.subscribe(() => {
        const failed = tab.items().find((one) => one.state === 'failed')
        if (failed) reject(new Error(`“${failed.body}” was refused: ${failed.failure?.name}`))
        else if (queued === all.length && tabs.every((one) => one.mutations().length === 0)) resolve()
      })
    }
  })
  let queued = 0
  for (const [index, one] of all.entries()) {
    queued += 1
    await tabs[index % 2]!.put({
      kind: 'send',
      id: one.id,
      channel: one.channel,
      threadRoot: one.root,
      alsoToChannel: one.alsoToChannel,
      body: one.body,
      files: [],
      createdAt: new Date().toISOString(),
    })
  }
  await done
  for (const tab of tabs) tab.stop()
}

/** Sends by plain requests, one after the other, each until there is a response. */
export async function sendDirectly(
  client: TestClient,
  all: readonly ExpectedMessage[],
  faultProbability: number,
): Promise<void> {
  for (const one of all) {
    const args = {
      id: one.id,
      channel: one.channel,
      body: one.body,
      thread_root: one.root,
      also_to_channel: one.alsoToChannel,
    }
    for (let answered = false; !answered;) {
      const { status, body } = await client.post(
        'send_message',
        args,
        drawFault(client.random, faultProbability),
      )
      if (status >= 400) throw new Error(`“${one.body}”: ${status} ${JSON.stringify(body)}`)
      answered = status === 200
    }
  }
}
