import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../scroll/inPage.ts'
import type { AddRow } from '../table.ts'
import { createRandom } from './createText.ts'
import { callCommand, signIn, type Archive } from './openArchive.ts'
import { argsOf, createQueries } from './queries.ts'
import { openSearchLoader } from './searchLoad.ts'

const ROUNDS = 3
const ROUND_MS = 6_000
const PACE_MS = 40

/** Messages of a member, paced, in turns alone and beside 20 searches at a time of another person. */
export async function measureBesideMessages(
  { server, client, ann, workspace }: Archive,
  add: AddRow,
): Promise<void> {
  const bea = await signIn(server, 'bea')
  const { channels } = await callCommand(bea, 'bootstrap', {})
  const channel = channels.find((entry) => entry.channel.kind === 'direct')!.channel.id
  const sendFor = async (ms: number): Promise<number[]> => {
    const times: number[] = []
    const end = performance.now() + ms
    while (performance.now() < end) {
      const start = performance.now()
      await callCommand(bea, 'send_message', { id: randomUUID(), channel, body: 'The van comes at four' })
      times.push(performance.now() - start)
      await sleep(Math.max(0, PACE_MS - (performance.now() - start)))
    }
    return times
  }
  const kinds = createQueries(workspace, createRandom(9))
  const worst = ['word of medium frequency', 'from', 'phrase', 'letter and rare word'].map(
    (kind) => kinds[kind]!,
  )
  const searches = Array.from({ length: 200 }, (_, n) => argsOf(workspace, worst[n % worst.length]!()))
  const { data } = await ann.auth.getSession()
  const loader = openSearchLoader(process.cwd())
  const search = (ms: number) =>
    loader.run({
      url: server.url,
      key: server.publishableKey,
      token: data.session!.access_token,
      searches,
      concurrency: 20,
      ms,
    })
  const load = { searches: 0, refused: 0 }
  const [alone, beside]: [number[], number[]] = [[], []]
  await Promise.all([search(500), sendFor(2_000)])
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(...(await sendFor(ROUND_MS)))
    const searching = search(ROUND_MS + 1_000)
    await sleep(500)
    beside.push(...(await sendFor(ROUND_MS)))
    const { searches, refused } = await searching
    load.searches += searches
    load.refused += refused
  }
  await loader.close()
  // The oracle does not know these messages.
  await client.query(
    `with sent as (delete from public.messages where channel_id = $1 and body = 'The van comes at four' returning id)
     select count(*) from sent`,
    [channel],
  )
  const [p99, without] = [percentile(beside, 0.99), percentile(alone, 0.99)]
  add({
    what: 'message beside 20 searches at a time, p99',
    goal: 'less than 20 ms more',
    value: p99,
    unit: 'ms',
    ratio: p99 / without,
    against: `${without.toFixed(1)} ms alone`,
    also: { ...load, 'ms p50': percentile(beside, 0.5), 'ms p50 alone': percentile(alone, 0.5) },
  })
}
