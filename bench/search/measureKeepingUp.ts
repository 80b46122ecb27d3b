import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../scroll/inPage.ts'
import type { AddRow } from '../table.ts'
import { createRandom } from './createText.ts'
import { callCommand, signIn, type Archive } from './openArchive.ts'

const MESSAGES_PER_SECOND = 200
const SECONDS = 15
/** Senders in turns: as many messages may be on their way at a time. */
const SENDERS = 20
/** One of so many messages is searched for as soon as it is sent. */
const SEARCHED = 50

/**
 * Messages of one member at 200 a second: whether the server keeps this pace, whether each can be found at once, and how long
 * the vocabulary takes for those of a minute, which a job adds every minute.
 */
export async function measureKeepingUp({ server, client, workspace }: Archive, add: AddRow): Promise<void> {
  const bea = await signIn(server, 'bea')
  const { channels } = await callCommand(bea, 'bootstrap', {})
  const channel = channels.find((entry) => entry.channel.kind === 'direct')!.channel.id
  const random = createRandom(11)
  const total = MESSAGES_PER_SECOND * SECONDS
  const bodies = Array.from({ length: total }, (_, n) => {
    let body = `pace${n}x`
    for (let word = 0; word < 13; word += 1)
      body += ` ${workspace.vocabulary[Math.floor(random() ** 3 * 20_000)]!}`
    return body
  })
  const times: number[] = []
  let [next, found, searched] = [0, 0, 0]
  const begin = performance.now()
  const send = async (): Promise<void> => {
    while (next < total) {
      const n = next++
      await sleep(Math.max(0, (n / MESSAGES_PER_SECOND) * 1000 - (performance.now() - begin)))
      const start = performance.now()
      await callCommand(bea, 'send_message', { id: randomUUID(), channel, body: bodies[n]! })
      times.push(performance.now() - start)
      if (n % SEARCHED > 0) continue
      const { hits } = await callCommand(bea, 'search_messages', {
        workspace: workspace.id,
        query: `pace${n}x`,
      })
      searched += 1
      found += hits.length
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, send))
  const seconds = (performance.now() - begin) / 1000
  const start = performance.now()
  await client.query('select app.update_search_vocabulary()')
  const vocabularyMs = performance.now() - start
  // The oracle does not know these messages.
  await client.query(`delete from public.messages where channel_id = $1 and body like 'pace%'`, [channel])
  add({
    what: `messages with the index, at ${MESSAGES_PER_SECOND} a second`,
    goal: `${MESSAGES_PER_SECOND}/s`,
    value: total / seconds,
    unit: 'messages/s',
    also: {
      'ms p50': percentile(times, 0.5),
      'ms p99': percentile(times, 0.99),
      'found at once': found / searched,
      'ms for the vocabulary of a minute': (vocabularyMs * 60) / SECONDS,
    },
  })
}
