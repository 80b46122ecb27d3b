import { once } from 'node:events'
import { createWriteStream, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom, type Random } from './random.ts'

/** The size of a generated export of Discord. */
export interface GeneratedDiscordExport {
  seed: number
  people: number
  channels: number
  messages: number
  /** Stored files, beside as many behind links. */
  files: number
}

const words =
  'plan ward shift note order glove visit lunch keys door list call bring early late today room seven'
const wordList = words.split(' ')
const emoji = [
  { id: '', name: '👍', code: 'thumbsup' },
  { id: '', name: '❤️', code: 'heart' },
  { id: '900', name: 'Party_Parrot', code: 'Party_Parrot' },
]
const firstTime = Date.UTC(2023, 0)
const snowflake = (time: number, count: number): string =>
  String(((BigInt(time) - 1_420_070_400_000n) << 22n) + BigInt(count % 4_096))
const timestamp = (time: number): string => new Date(time).toISOString().replace('Z', '+00:00')

interface Thread {
  id: string
  name: string
  messages: object[]
}

/**
 * Writes an export of DiscordChatExporter as a folder, with the traps of such exports: threads with and without their first
 * message, parts, messages that are in two parts, notices, programs, edits, replies, embeds, and files that are stored, behind
 * links or missing.
 * @returns the path of the folder
 */
export async function generateDiscordExport(o: GeneratedDiscordExport): Promise<string> {
  const random = createRandom(o.seed)
  const folder = mkdtempSync(join(tmpdir(), 'discord-generated-'))
  const people = Array.from({ length: o.people }, (_, at) => ({
    id: String(100_000 + at),
    name: `person${at}`,
    discriminator: at % 20 === 19 ? '1234' : '0000',
    nickname: `Person ${at % 50}`,
    color: null,
    isBot: at % 20 === 19,
    roles: at % 3 === 0 ? [{ id: '800', name: 'Nurse', color: null, position: 1 }] : [],
    avatarUrl: 'https://cdn.discordapp.com/embed/avatars/0.png',
  }))
  const filesEvery = Math.max(1, Math.floor(o.messages / Math.max(1, o.files)))
  let written = 0
  for (let index = 0; index < o.channels; index++) {
    const id = String(200_000 + index)
    const name = `Acme - Wards - channel-${index} [${id}]`
    const until = Math.round(((index + 1) * o.messages) / o.channels)
    const middle = Math.round((written + until) / 2)
    const threads: Thread[] = []
    const ids: string[] = []
    mkdirSync(join(folder, `${name}.json_Files`))
    let last: object | null = null
    for (const [part, end] of [middle, until].entries()) {
      const stream = createWriteStream(join(folder, `${name}${part === 0 ? '' : ' [part 2]'}.json`))
      const head = {
        id,
        type: 'GuildTextChat',
        categoryId: '1',
        category: 'Wards',
        name: `channel-${index}`,
        topic: `Topic ${index}`,
      }
      stream.write(headOf(head))
      // The last message of the first part is in the second one, too.
      let separator = ''
      if (last !== null) {
        stream.write(JSON.stringify(last))
        separator = ','
      }
      for (; written < end; written++) {
        const time = firstTime + written * 1_000
        const message = createMessage(random, {
          id: snowflake(time, written),
          time,
          author: random.pick(people)!,
          people,
        })
        if (written % filesEvery === 0)
          message['attachments'] = attachmentsOf(folder, `${name}.json_Files`, written)
        if (random.happens(0.1) && ids.length > 0) {
          message['type'] = 'Reply'
          message['reference'] = { messageId: random.pick(ids), channelId: id, guildId: '1' }
        }
        const thread = random.happens(0.2) ? random.pick(threads) : undefined
        if (thread !== undefined) {
          thread.messages.push(message)
          continue
        }
        if (random.happens(0.02))
          Object.assign(message, { type: 'ChannelPinnedMessage', content: 'Pinned a message.' })
        else ids.push(String(message['id']))
        if (ids.length > 50) ids.shift()
        // One thread in ten has lost its first message.
        if (random.happens(0.01)) {
          const threadId = random.happens(0.1) ? snowflake(time + 1, written) : String(message['id'])
          threads.push({ id: threadId, name: `Thread ${threads.length}`, messages: [] })
        }
        last = message
        if (!stream.write(separator + JSON.stringify(message))) await once(stream, 'drain')
        separator = ','
      }
      stream.end('],"messageCount":0}')
      await once(stream, 'close')
    }
    for (const thread of threads) {
      const head = {
        id: thread.id,
        type: 'GuildPublicThread',
        categoryId: id,
        category: `channel-${index}`,
        name: thread.name,
      }
      writeFileSync(
        join(folder, `${name} - ${thread.name} [${thread.id}].json`),
        `${headOf(head)}${thread.messages.map((message) => JSON.stringify(message)).join(',')}],"messageCount":0}`,
      )
    }
  }
  return folder
}

function headOf(channel: object): string {
  const head = {
    guild: { id: '1', name: 'Acme', iconUrl: '' },
    channel,
    dateRange: { after: null, before: null },
    exportedAt: '2024-01-01T00:00:00+00:00',
  }
  return `${JSON.stringify(head).slice(0, -1)},"messages":[`
}

function createMessage(
  random: Random,
  o: { id: string; time: number; author: object; people: readonly { id: string }[] },
): Record<string, unknown> {
  const text = Array.from({ length: 3 + random.below(20) }, () => random.pick(wordList)).join(' ')
  const person = random.pick(o.people)!
  const reacting = Array.from({ length: 1 + random.below(4) }, () => random.pick(o.people)!)
  return {
    id: o.id,
    type: 'Default',
    timestamp: timestamp(o.time),
    timestampEdited: random.happens(0.05) ? timestamp(o.time + 500) : null,
    callEndedTimestamp: null,
    isPinned: random.happens(0.01),
    content: random.happens(0.1)
      ? `<@${person.id}> **${text}** ||${text}|| https://example.org/${o.id}`
      : text,
    author: o.author,
    attachments: [],
    embeds: random.happens(0.02) ? [{ title: 'Build', description: text, color: '#DD2222', fields: [] }] : [],
    stickers: [],
    reactions: random.happens(0.1)
      ? [{ emoji: random.pick(emoji), count: reacting.length, users: reacting }]
      : [],
    mentions: [],
    inlineEmojis: [],
  }
}

function attachmentsOf(folder: string, files: string, number: number): object[] {
  const path = `${files}/file-${number}.txt`
  writeFileSync(join(folder, path), `The bytes of ${number}`.padEnd(30))
  const [id, fileName] = [String(number), `file-${number}.txt`]
  return [
    { id, fileName, url: path, fileSizeBytes: 30 },
    {
      id: `${id}1`,
      fileName: 'linked.png',
      url: `https://cdn.discordapp.com/attachments/1/${id}/linked.png`,
      fileSizeBytes: 30,
    },
    { id: `${id}2`, fileName: 'lost.png', url: `${files}/lost.png`, fileSizeBytes: 30 },
  ]
}
