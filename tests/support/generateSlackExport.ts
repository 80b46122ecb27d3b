import { createWriteStream, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { createRandom } from './random.ts'

/** The size of a generated export of Slack. */
export interface GeneratedExport {
  seed: number
  /** The id of the Slack workspace, by which exports of the same one are recognised; `T1` by default. */
  team?: string
  people: number
  channels: number
  messages: number
  files: number
  days: number
  /** The addresses of the first people; the others have addresses of example.org. */
  emails?: readonly string[]
}

const words =
  'plan ward shift note order glove visit lunch keys door list call bring early late today room seven'
const wordList = words.split(' ')
const emoji = ['+1', 'tada', 'eyes', 'heart', 'party_parrot', '+1::skin-tone-3']
const firstDay = 1_672_531_200

/**
 * Writes an export of Slack as a folder, as slackdump does, with the traps of such exports: replies without their first message,
 * edited and deleted messages, notices, bots, and files that are stored, behind links or deleted.
 * @returns the path of the folder
 */
export async function generateSlackExport(o: GeneratedExport): Promise<string> {
  const random = createRandom(o.seed)
  const folder = mkdtempSync(join(tmpdir(), 'slack-generated-'))
  const users = Array.from({ length: o.people }, (_, at) => ({
    id: `U${at}`,
    team_id: o.team ?? 'T1',
    name: `person${at}`,
    deleted: at % 10 === 9,
    profile: {
      real_name: `Person ${at % 50}`,
      email: o.emails?.[at] ?? `person${at}@example.org`,
      title: at % 3 === 0 ? 'Nurse' : '',
    },
  }))
  const channels = Array.from({ length: o.channels }, (_, at) => ({
    id: `C${at}`,
    name: `channel-${at}`,
    created: firstDay - 86_400,
    creator: 'U0',
    is_archived: at % 7 === 6,
    members: users.filter((_user, index) => (index + at) % 3 === 0).map(({ id }) => id),
    topic: { value: `Topic ${at}` },
    purpose: { value: '' },
  }))
  writeFileSync(join(folder, 'users.json'), JSON.stringify(users))
  writeFileSync(join(folder, 'channels.json'), JSON.stringify(channels))
  const text = (): string =>
    Array.from({ length: 3 + random.below(20) }, () => random.pick(wordList)).join(' ')
  const perDay = o.messages / o.channels / o.days
  const filesEvery = Math.max(1, Math.floor(o.messages / Math.max(1, o.files)))
  let written = 0
  let files = 0
  for (const [index, { id, name }] of channels.entries()) {
    mkdirSync(join(folder, name))
    const roots: string[] = []
    for (let day = 0; day < o.days; day++) {
      const until = Math.round(((index * o.days + day + 1) * o.messages) / (o.channels * o.days))
      const start = firstDay + day * 86_400
      const stream = createWriteStream(
        join(folder, name, `${new Date(start * 1_000).toISOString().slice(0, 10)}.json`),
      )
      stream.write('[')
      for (let at = 0; written < until; at++, written++) {
        const ts = `${start + Math.floor((at * 80_000) / Math.max(1, perDay))}.${String(100_000 + at).slice(-6)}`
        const message: Record<string, unknown> = {
          type: 'message',
          user: `U${random.below(o.people)}`,
          ts,
          text: text(),
        }
        const kind = random.below(100)
        if (kind < 25) {
          // One reply in 200 is in a thread whose first message is missing.
          const missing = `${start - 5}.${String(at).padStart(6, '0')}`
          const thread = random.happens(0.005) ? missing : random.pick(roots)
          if (thread !== undefined) message['thread_ts'] = thread
          if (thread !== undefined && random.happens(0.1)) message['subtype'] = 'thread_broadcast'
        } else if (kind < 30) {
          const bot = { user: undefined, bot_id: 'B1', username: 'Deploy', subtype: 'bot_message' }
          Object.assign(message, bot)
        } else if (kind < 34)
          message['subtype'] = ['channel_join', 'tombstone', 'pinned_item', 'channel_leave'][kind - 30]
        else roots.push(ts)
        if (roots.length > 50) roots.shift()
        if (random.happens(0.1))
          message['text'] = `<@U${random.below(o.people)}> *${text()}* <https://example.org/${at}|link>`
        if (random.happens(0.05)) message['edited'] = { user: message['user'], ts }
        if (random.happens(0.1)) {
          const people = Array.from({ length: 1 + random.below(4) }, () => `U${random.below(o.people)}`)
          message['reactions'] = [{ name: random.pick(emoji), users: people, count: people.length }]
        }
        if (written % filesEvery === 0 && files < o.files && message['subtype'] === undefined) {
          const file = `F${id}x${files++}`
          message['files'] = [{ id: file, name: `${file}.txt`, mimetype: 'text/plain', size: 20 }]
          mkdirSync(join(folder, '__uploads', file), { recursive: true })
          writeFileSync(join(folder, '__uploads', file, `${file}.txt`), `The bytes of ${file}`.padEnd(20))
        }
        if (!stream.write(`${at === 0 ? '' : ','}${JSON.stringify(message)}`)) await once(stream, 'drain')
      }
      stream.end(']')
      await once(stream, 'close')
    }
  }
  return folder
}
