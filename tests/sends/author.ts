import { randomUUID } from 'node:crypto'
import { failureFrom, failureNamed } from '../../app/data/failures/failures.ts'
import { memoryShelf } from '../../app/data/persistence/memoryOutbox.ts'
import { createOutbox } from '../../app/data/mutations/outbox.ts'
import type { Outbox } from '../../app/data/mutations/outbox.ts'
import type { Ports } from '../../app/data/sync/ports.ts'
import { createStore } from '../../app/data/store/store.ts'
import type { Uuid } from '../../wire/linnet.ts'
import type { Asker } from './people.ts'
import { MISHAPS } from './post.ts'
import type { Mishap } from './post.ts'

/** What an author wants to be there in the end, in the order of writing. */
export interface Written {
  id: Uuid
  author: Uuid
  channel: Uuid
  root: Uuid | null
  alsoToChannel: boolean
  body: string
}

/** Time goes so many times as fast as on a clock, or backing off would take all of it. */
const HASTE = 50

export type Luck = () => Mishap

/** So often something goes wrong. */
export function luckOf(likelihood: number): Luck {
  return () => {
    if (Math.random() >= likelihood) return 'none'
    return MISHAPS[Math.floor(Math.random() * MISHAPS.length)] ?? 'none'
  }
}

/** Sends by the app's outbox, in two tabs that both believe to lead; resolves when both have let go of all of it. */
export async function sendByOutbox(asker: Asker, all: readonly Written[], luck: Luck): Promise<void> {
  const shelf = memoryShelf(() => {})
  const tabs: Outbox[] = []
  const call: Ports['call'] = async (name, args) => {
    const { status, body } = await asker.ask(name, args, luck())
    if (status === 200) return { ok: true, value: body as never }
    return { ok: false, failure: status === 0 ? failureNamed('network') : failureFrom(body, status) }
  }
  for (let tab = 0; tab < 2; tab += 1) {
    const outbox = createOutbox(createStore(), {
      call,
      after: (ms, run) => {
        const timer = setTimeout(run, ms / HASTE)
        return () => clearTimeout(timer)
      },
      random: Math.random,
      clock: () => performance.now() * HASTE,
      uuid: randomUUID,
      shelf,
      upload: async () => ({ ok: true, value: undefined }),
      saveOwn: () => Promise.reject(new Error('Nothing of one’s own is saved here.')),
      abandon: () => {},
      leads: () => true,
      announce: (answer) => {
        for (const other of tabs) if (other !== outbox) setImmediate(() => void other.reload(answer))
      },
    })
    tabs.push(outbox)
  }
  const over = new Promise<void>((resolve, reject) => {
    for (const tab of tabs) {
      tab.subscribe(() => {
        const failed = tab.items().find((one) => one.state === 'failed')
        if (failed) reject(new Error(`“${failed.body}” was refused: ${failed.failure?.name}`))
        else if (wished === all.length && tabs.every((one) => one.deeds().length === 0)) resolve()
      })
    }
  })
  let wished = 0
  for (const [index, one] of all.entries()) {
    wished += 1
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
  await over
  for (const tab of tabs) tab.stop()
}

/** Sends by plain requests, one after the other, each again until there is an answer, and now and then once more. */
export async function sendPlainly(asker: Asker, all: readonly Written[], luck: Luck): Promise<void> {
  for (const one of all) {
    const args = {
      id: one.id,
      channel: one.channel,
      body: one.body,
      thread_root: one.root,
      also_to_channel: one.alsoToChannel,
    }
    for (let answered = false; !answered;) {
      const { status, body } = await asker.ask('send_message', args, luck())
      if (status >= 400) throw new Error(`“${one.body}”: ${status} ${JSON.stringify(body)}`)
      answered = status === 200
    }
  }
}
