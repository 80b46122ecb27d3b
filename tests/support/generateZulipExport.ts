import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { createRandom } from './random.ts'

/** The size of a generated export of Zulip. */
export interface GeneratedZulipExport {
  seed: number
  people: number
  streams: number
  topics: number
  messages: number
  files: number
  /** The addresses of the first people; the others have addresses of example.org. */
  emails?: readonly string[]
}

const words =
  'plan ward shift note order glove visit lunch keys door list call bring early late today room seven'
const wordList = words.split(' ')
const reactions = [
  ['thumbs_up', '1f44d', 'unicode_emoji'],
  ['heart', '2764', 'unicode_emoji'],
  ['party_parrot', '3', 'realm_emoji'],
] as const
const firstTime = 1_672_531_200
const messagesOfFile = 1_000

/**
 * Writes an export of Zulip as a folder, with the traps of such exports: topics whose names differ in case, edited, moved and
 * deleted messages, conversations without a list, people without an account, widgets, and files that are missing.
 * @returns the path of the folder
 */
export function generateZulipExport(o: GeneratedZulipExport): string {
  const random = createRandom(o.seed)
  const folder = mkdtempSync(join(tmpdir(), 'zulip-generated-'))
  const write = (name: string, content: unknown): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const people = Array.from({ length: o.people }, (_, at) => at + 1)
  const streams = Array.from({ length: o.streams }, (_, at) => at + 1)
  const user = (id: number): object => ({
    id,
    email: `user${id}@zulip.example.org`,
    delivery_email: o.emails?.[id - 1] ?? `person${id}@example.org`,
    full_name: `Person ${id % 50}`,
    is_active: id % 10 !== 9,
    is_bot: id % 20 === 19,
    is_mirror_dummy: id % 25 === 24,
  })
  const isDummy = (id: number): boolean => id % 25 === 24
  const [personBase, streamBase, group] = [0, o.people, o.people + o.streams + 1]
  const member =
    (recipient: number) =>
    (id: number): object => ({
      user_profile: id,
      recipient,
      active: id % 7 !== 6,
    })
  const text = (): string =>
    Array.from({ length: 3 + random.below(20) }, () => random.pick(wordList)).join(' ')
  const content = (id: number): string => {
    switch (random.below(20)) {
      case 0:
        return `@**Person 1|1** **${text()}** [link](https://example.org/${id})`
      case 1:
        return `@_**Person 2|2** [wrote](#narrow/channel/1-stream-1/near/${Math.max(1, id - 1)}):\n\`\`\`quote\n${text()}\n\`\`\`\n${text()}`
      case 2:
        return id % 5 === 0 ? `/poll ${text()}\none\ntwo` : `#**stream-1>topic 1** ${text()} :tada:`
      case 3:
        return `- ${text()}\n- *${text()}*\n\n\`\`\`js\n${text()}\n\`\`\``
      default:
        return text()
    }
  }
  const rows: object[] = []
  const attachments: object[] = []
  const records: object[] = []
  const reacted: object[] = []
  const filesEvery = Math.max(1, Math.floor(o.messages / Math.max(1, o.files)))
  for (let id = 1; id <= o.messages; id++) {
    const kind = random.below(100)
    const sender = 1 + random.below(o.people)
    const isDirect = kind < 10
    const recipient = isDirect
      ? kind < 2
        ? group
        : personBase + 1 + random.below(Math.min(10, o.people))
      : streamBase + 1 + random.below(o.streams)
    const topic = random.below(o.topics)
    const at = firstTime + id * 30 + random.below(1_000) / 1_000
    const row: Record<string, unknown> = {
      id,
      sender,
      recipient,
      subject: isDirect ? '\u0007' : kind < 15 ? '' : kind < 20 ? `TOPIC ${topic}` : `topic ${topic}`,
      content: content(id),
      rendered_content: `<p>${'rendered '.repeat(20)}</p>`,
      date_sent: at,
      last_edit_time: null,
      edit_history: null,
    }
    if (kind >= 90)
      Object.assign(row, {
        last_edit_time: at + 5,
        edit_history: JSON.stringify([
          kind < 95 ? { timestamp: at + 5, prev_content: 'x' } : { timestamp: at + 5, prev_topic: 'x' },
        ]),
        ...(kind === 90 ? { content: '(deleted)' } : {}),
      })
    if (id % filesEvery === 0 && attachments.length < o.files) {
      const path = `2/ab/f${id}.txt`
      // One file in 50 is missing.
      if (attachments.length % 50 !== 49) write(`uploads/${path}`, `The bytes of ${id}`.padEnd(20))
      attachments.push({ path_id: path, file_name: `Datei ${id}.txt`, content_type: 'text/plain' })
      records.push({ path, s3_path: path, content_type: 'text/plain' })
      row['content'] = `see [the file](/user_uploads/${path})`
    }
    if (random.happens(0.1)) {
      const [emoji_name, emoji_code, reaction_type] = random.pick(reactions)!
      reacted.push({
        message: id,
        user_profile: 1 + random.below(o.people),
        emoji_name,
        emoji_code,
        reaction_type,
      })
    }
    rows.push(row)
    if (rows.length === messagesOfFile || id === o.messages) {
      const number = String(Math.ceil(id / messagesOfFile)).padStart(6, '0')
      const received = rows.flatMap((_, index) =>
        [1, 2, 3].map((person) => ({ id: index, user_profile: person })),
      )
      write(
        `messages-${number}.json`,
        JSON.stringify({ zerver_message: rows, zerver_usermessage: received }, null, 2),
      )
      rows.length = 0
    }
  }
  write('realm.json', {
    zerver_realm: [{ id: 2, string_id: 'acme', date_created: firstTime }],
    zerver_userprofile: people.filter((id) => !isDummy(id)).map(user),
    zerver_userprofile_mirrordummy: people.filter(isDummy).map(user),
    zerver_userprofile_crossrealm: [{ id: o.people + 1, email: 'welcome-bot@zulip.com' }],
    zerver_useractivity: people.map((id) => ({ id, count: 1 })),
    zerver_stream: streams.map((id) => ({
      id,
      name: id % 10 === 9 ? `!DEACTIVATED:stream-${id}` : `stream-${id}`,
      description: `About *${id}*`,
      date_created: firstTime,
      deactivated: id % 10 === 9,
      invite_only: id % 5 === 4,
      history_public_to_subscribers: id % 5 !== 4,
      creator: 1,
    })),
    zerver_subscription: [
      ...streams.flatMap((id) =>
        people.filter((person) => (person + id) % 3 === 0).map(member(streamBase + id)),
      ),
      ...people.slice(0, 4).map(member(group)),
    ],
    zerver_recipient: [
      ...people.map((id) => ({ id: personBase + id, type: 1, type_id: id })),
      ...streams.map((id) => ({ id: streamBase + id, type: 2, type_id: id })),
      { id: group, type: 3, type_id: 1 },
    ],
    zerver_realmemoji: [{ id: 3, name: 'party_parrot', file_name: '3.png', deactivated: false }],
    zerver_reaction: reacted,
  })
  write('attachment.json', { zerver_attachment: attachments })
  write('uploads/records.json', records)
  return folder
}

/** Packs a folder as Zulip does, with a folder around the files. Returns the path of the tar file. */
export async function packZulipExport(folder: string): Promise<string> {
  const path = `${folder}.tar.gz`
  const tar = pack()
  const writing = pipeline(tar as unknown as NodeJS.ReadableStream, createGzip(), createWriteStream(path))
  for (const name of readdirSync(folder, { recursive: true }) as string[])
    if (statSync(join(folder, name)).isFile())
      await new Promise<void>((resolve, reject) => {
        tar.entry({ name: `zulip-export/${name}` }, readFileSync(join(folder, name)), (error) =>
          error ? reject(error) : resolve(),
        )
      })
  tar.finalize()
  await writing
  return path
}
