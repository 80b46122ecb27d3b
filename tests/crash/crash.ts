import type { SupabaseClient } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { readRunningServer } from '../../backend/startup/runningServer.ts'
import type { Commands } from '../../wire/commands.ts'
import type { Message } from '../../wire/messages.ts'
import { adminOf, bring, call, foundWorkspace, signInAgain } from '../support/people.ts'
import { createRandom } from '../support/random.ts'
import { startServer, temporaryData, type Server } from '../support/server.ts'
import { fillLinnetData } from '../../supabase/tests/support/linnetData.ts'
import { createUploader } from './createUploader.ts'
import type { Uploader } from './createUploader.ts'
import { retryUntilRecovered } from './retryUntilRecovered.ts'
import { checkStore } from './checkStore.ts'

/** The ids of a sender: acknowledged ones, and one that may or may not have arrived. */
interface Sender {
  client: SupabaseClient
  acknowledged: Set<string>
  inFlight: { id: string; body: string } | null
}

/**
 * Sends one message after the other until the server is killed. The last message has no response, as in an outbox.
 */
async function sendUntilKilled(
  sender: Sender,
  channel: string,
  killed: { done: boolean },
  onAcknowledged: () => void,
): Promise<void> {
  while (!killed.done) {
    sender.inFlight ??= { id: randomUUID(), body: `Message ${sender.acknowledged.size + 1}` }
    const { error } = await sender.client.rpc('send_message', { ...sender.inFlight, channel })
    if (error) {
      // A refusal by a healthy server would be a defect, not an interruption.
      if (error.code?.startsWith('PT') || error.code?.startsWith('23')) throw error
      return
    }
    sender.acknowledged.add(sender.inFlight.id)
    sender.inFlight = null
    onAcknowledged()
  }
}

/** Returns the result; null while the database is unavailable (503 with Retry-After). */
async function nullWhileUnavailable<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run()
  } catch (error) {
    if (!/^PGRST00[0-3]$/.test((error as { code?: string }).code ?? '')) throw error
    return null
  }
}

/** Repeats the message without a response until the server accepts it. */
async function resendInFlight(sender: Sender, channel: string): Promise<void> {
  const { inFlight } = sender
  if (!inFlight) return
  await retryUntilRecovered('a message is not accepted', async () => {
    const { error } = await sender.client.rpc('send_message', { ...inFlight, channel })
    if (error?.code?.startsWith('PT') || error?.code?.startsWith('23')) throw error
    return error ? null : true
  })
  sender.acknowledged.add(inFlight.id)
  sender.inFlight = null
}

async function readAll(client: SupabaseClient, channel: string): Promise<Message[]> {
  const messages: Message[] = []
  for (let after = 0; ;) {
    const page: Commands['channel_page']['response'] = await call(client, 'channel_page', {
      channel,
      after,
      limit: 100,
    })
    messages.push(...page.messages)
    if (!page.has_after) return messages
    after = page.messages.at(-1)!.seq!
  }
}

/** Returns the faults of the messages of the channel, in sentences. */
export function checkMessages(messages: Message[], senders: Pick<Sender, 'acknowledged'>[]): string[] {
  const faults: string[] = []
  const times = new Map<string, number>()
  for (const { id } of messages) times.set(id, (times.get(id) ?? 0) + 1)
  for (const { acknowledged } of senders) {
    for (const id of acknowledged) {
      const count = times.get(id) ?? 0
      if (count !== 1) faults.push(`the acknowledged message ${id} is stored ${count} times`)
    }
  }
  messages.forEach((message, index) => {
    if (message.seq !== index + 1) faults.push(`seq ${message.seq} is in place of ${index + 1}`)
  })
  return faults
}

/**
 * Kills the server, or its PostgreSQL, with signal 9 during sends and uploads. Then it restarts the server and checks
 * the data. Every acknowledged message must be stored exactly once, and the numbers must have no gap. Every
 * acknowledged file must be intact, resumable uploads must continue at their offset, and rows and files must match.
 * Returns the faults in sentences, the number of acknowledged messages, and counts of the uploads.
 */
export async function runCrashCycles(o: {
  cycles: number
  seed: number
  root: string
}): Promise<{ acknowledged: number; uploads: ReturnType<Uploader['counts']>; faults: string[] }> {
  const random = createRandom(o.seed)
  const data = temporaryData()
  const start = (): Promise<Server> => startServer({ root: o.root, dataDir: data.dir, args: ['--no-app'] })
  await fillLinnetData(data.dir)
  let server = await start()
  try {
    const { ann, workspace, channel } = await foundWorkspace(server)
    // Two people send as much as many would.
    await adminOf(server).from('settings').delete().eq('key', 'rate_limits')
    const bea = await bring(server, ann, { workspace, channels: [channel], name: 'Bea' })
    const senders: Sender[] = [ann, bea].map((client) => ({
      client,
      acknowledged: new Set(),
      inFlight: null,
    }))
    const uploader = await createUploader(server)
    const faults: string[] = []
    for (let cycle = 0; cycle < o.cycles && faults.length + uploader.faults().length === 0; cycle++) {
      const killed = { done: false }
      let untilKill = 1 + random.below(40)
      let resolveReached = (): void => {}
      const reached = new Promise<void>((resolve) => {
        resolveReached = resolve
      })
      const onAcknowledged = (): void => {
        untilKill -= 1
        if (untilKill === 0) resolveReached()
      }
      const writing = Promise.all(
        senders.map((sender) => sendUntilKilled(sender, channel, killed, onAcknowledged)),
      )
      const uploading = uploader.uploadUntilKilled(server, killed)
      const untilReached = Promise.race([reached, writing, uploading]).then(() => true)
      await retryUntilRecovered('messages are not acknowledged', () => untilReached)
      if (untilKill > 0) throw new Error('The senders stopped before the server was killed.')
      // Every third time only the database is killed, and the server has to restart it.
      const database = cycle % 3 === 2
      if (database) process.kill(readRunningServer(data.dir)!.pids.db, 'SIGKILL')
      else await server.end('SIGKILL')
      killed.done = true
      await Promise.all([writing, uploading])
      if (!database) server = await start()
      for (const [index, sender] of senders.entries()) {
        if (!database) sender.client = await signInAgain(server, index === 0 ? 'ann' : 'bea')
        await resendInFlight(sender, channel)
      }
      const messages = await retryUntilRecovered('messages can not be read', () =>
        nullWhileUnavailable(() => readAll(senders[0]!.client, channel)),
      )
      faults.push(...checkMessages(messages, senders))
      faults.push(...(await checkStore({ dbUrl: server.dbUrl, dataDir: data.dir }, !database)))
      await uploader.resume(server)
    }
    await uploader.readAll(server)
    return {
      acknowledged: senders.reduce((sum, sender) => sum + sender.acknowledged.size, 0),
      uploads: uploader.counts(),
      faults: [...faults, ...uploader.faults()],
    }
  } finally {
    await server.end('SIGTERM')
    data.remove()
  }
}

/**
 * `npm run crash -- --cycles N --seed S` exits with 0 only if nothing was lost or duplicated. The first line has the
 * seed, and the last line the counts: `<n> kills, …, <n> faults`.
 */
export async function main(args: string[], root: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { cycles: { type: 'string', default: '25' }, seed: { type: 'string', default: '1' } },
  })
  const [cycles, seed] = [Number(values.cycles), Number(values.seed)]
  if (!(cycles >= 1) || !Number.isInteger(seed)) {
    console.error('Usage: npm run crash -- [--cycles N] [--seed S]')
    return 2
  }
  console.log(`seed ${seed}`)
  const { acknowledged, uploads, faults } = await runCrashCycles({ cycles, seed, root })
  for (const fault of faults) console.log(fault)
  console.log(
    `${cycles} kills, ${acknowledged} messages and ${uploads.acknowledged} files acknowledged, ` +
      `${uploads.interrupted} uploads interrupted, ${uploads.resumed} resumed, ${faults.length} faults`,
  )
  return faults.length === 0 ? 0 : 1
}
