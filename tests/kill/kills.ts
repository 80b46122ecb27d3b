import type { SupabaseClient } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { readRunning } from '../../backend/startup/running.ts'
import type { Commands, Message } from '../../wire/linnet.ts'
import { adminOf, bring, call, foundWorkspace, signInAgain } from '../support/people.ts'
import { startServer, temporaryData, type Server } from '../support/server.ts'
import { createUploader } from './createUploader.ts'
import type { Uploader } from './createUploader.ts'
import { faultsOfStore } from './faultsOfStore.ts'

/** A small seeded generator (mulberry32), so that a failing run can be run again. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** What a sender knows: ids the server said yes to, and one that may or may not have arrived. */
interface Sender {
  client: SupabaseClient
  acknowledged: Set<string>
  inFlight: { id: string; body: string } | null
}

/** Sends one after the other until the server dies under it; the last one stays in flight, as in an outbox. */
async function sendUntilCut(
  sender: Sender,
  channel: string,
  cut: { done: boolean },
  onAcknowledged: () => void,
): Promise<void> {
  while (!cut.done) {
    sender.inFlight ??= { id: randomUUID(), body: `Message ${sender.acknowledged.size + 1}` }
    const { error } = await sender.client.rpc('send_message', { ...sender.inFlight, channel })
    if (error) {
      // A refusal while the server is well would be a defect, not a cut.
      if (error.code?.startsWith('PT') || error.code?.startsWith('23')) throw error
      return
    }
    sender.acknowledged.add(sender.inFlight.id)
    sender.inFlight = null
    onAcknowledged()
  }
}

/**
 * Asks again while the answer is that the database is not there (503 with Retry-After): a connection that died
 * with it may be met once more after the first that works.
 */
async function whenAvailable<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!/^PGRST00[0-3]$/.test((error as { code?: string }).code ?? '')) throw error
    }
  }
}

/** Sends what is in flight until the server, which brings its database back by itself, takes it. */
async function sendWhenBack(sender: Sender, channel: string): Promise<void> {
  while (sender.inFlight) {
    const { error } = await sender.client.rpc('send_message', { ...sender.inFlight, channel })
    if (error?.code?.startsWith('PT') || error?.code?.startsWith('23')) throw error
    if (!error) {
      sender.acknowledged.add(sender.inFlight.id)
      sender.inFlight = null
    }
  }
}

async function readAll(client: SupabaseClient, channel: string): Promise<Message[]> {
  const messages: Message[] = []
  for (let after = 0; ;) {
    const page: Commands['channel_page']['answer'] = await call(client, 'channel_page', {
      channel,
      after,
      limit: 100,
    })
    messages.push(...page.messages)
    if (!page.has_after) return messages
    after = page.messages.at(-1)!.seq!
  }
}

/** What is wrong with the channel as it stands, in sentences; empty when nothing is. */
export function faultsOf(messages: Message[], senders: Pick<Sender, 'acknowledged'>[]): string[] {
  const faults: string[] = []
  const times = new Map<string, number>()
  for (const { id } of messages) times.set(id, (times.get(id) ?? 0) + 1)
  for (const { acknowledged } of senders) {
    for (const id of acknowledged) {
      const count = times.get(id) ?? 0
      if (count !== 1) faults.push(`the acknowledged message ${id} is there ${count} times`)
    }
  }
  messages.forEach((message, index) => {
    if (message.seq !== index + 1) faults.push(`seq ${message.seq} stands where ${index + 1} belongs`)
  })
  return faults
}

/**
 * Kills the server, or PostgreSQL under it, with signal 9 while people write and files come; starts again and counts.
 * Every acknowledged message must be there exactly once, and the numbers must have no hole. Every acknowledged file must
 * be there whole, what went in pieces must go on where it stood, and rows and files must name each other.
 * Answers the faults in sentences, how many messages were written, and what became of the uploads.
 */
export async function runKills(o: {
  cycles: number
  seed: number
  root: string
}): Promise<{ acknowledged: number; uploads: ReturnType<Uploader['figures']>; faults: string[] }> {
  const random = randomOf(o.seed)
  const data = temporaryData()
  const start = (): Promise<Server> => startServer({ root: o.root, dataDir: data.dir, args: ['--no-app'] })
  let server = await start()
  try {
    const { ann, workspace, channel } = await foundWorkspace(server)
    // Two people send here what many would.
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
      const cut = { done: false }
      let left = 1 + Math.floor(random() * 40)
      let reach = (): void => {}
      const reached = new Promise<void>((resolve) => {
        reach = resolve
      })
      const onAcknowledged = (): void => {
        left -= 1
        if (left === 0) reach()
      }
      const writing = Promise.all(senders.map((sender) => sendUntilCut(sender, channel, cut, onAcknowledged)))
      const uploading = uploader.uploadUntilCut(server, cut)
      await Promise.race([reached, writing, uploading])
      if (left > 0) throw new Error('The senders stopped before the server was killed.')
      // Every third time the database is killed under a living server, which has to bring it back by itself.
      const database = cycle % 3 === 2
      if (database) process.kill(readRunning(data.dir)!.pids.db, 'SIGKILL')
      else await server.end('SIGKILL')
      cut.done = true
      await Promise.all([writing, uploading])
      if (!database) server = await start()
      for (const [index, sender] of senders.entries()) {
        if (!database) sender.client = await signInAgain(server, index === 0 ? 'ann' : 'bea')
        await sendWhenBack(sender, channel)
      }
      const messages = await whenAvailable(() => readAll(senders[0]!.client, channel))
      faults.push(...faultsOf(messages, senders))
      faults.push(...(await faultsOfStore({ dbUrl: server.dbUrl, dataDir: data.dir }, !database)))
      await uploader.sendWhenBack(server)
    }
    await uploader.readAll(server)
    return {
      acknowledged: senders.reduce((sum, sender) => sum + sender.acknowledged.size, 0),
      uploads: uploader.figures(),
      faults: [...faults, ...uploader.faults()],
    }
  } finally {
    await server.end('SIGTERM')
    data.remove()
  }
}

/** `npm run kills -- --cycles N --seed S`: exit 0 only when nothing was lost or doubled. */
export async function main(args: string[], root: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { cycles: { type: 'string', default: '25' }, seed: { type: 'string', default: '1' } },
  })
  const { acknowledged, uploads, faults } = await runKills({
    cycles: Number(values.cycles),
    seed: Number(values.seed),
    root,
  })
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.stdout.write(
    `${values.cycles} kills, ${acknowledged} messages and ${uploads.acknowledged} files acknowledged, ` +
      `${uploads.cut} uploads cut, ${uploads.resumed} in pieces resumed, ${faults.length} faults\n`,
  )
  return faults.length === 0 ? 0 : 1
}
