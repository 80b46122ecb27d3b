import { once } from 'node:events'
import { createWriteStream, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createRandom } from './random.ts'

/** The size of a generated export of Mattermost. */
export interface GeneratedExport {
  seed: number
  people: number
  /** Of each of the two teams. */
  channels: number
  messages: number
  files: number
  /** The addresses of the first people; the others have addresses of example.org. */
  emails?: readonly string[]
}

const words =
  'plan ward shift note order glove visit lunch keys door list call bring early late today room seven'
const wordList = words.split(' ')
const emoji = ['+1', 'tada', 'eyes', 'heart', 'party_parrot', '+1_dark_skin_tone']
const teams = ['main', 'night']
const firstTime = 1_672_531_200_000
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/**
 * Writes an export of Mattermost as a folder, with the traps of such exports: two teams with the same channels, equal messages,
 * threads without their first message, lines that are damaged, edited messages, notices, webhooks, files that are missing, and posts
 * that are not in the order of their times. A message is a post, a reply, or a post of a conversation.
 * @returns the path of the folder
 */
export async function generateMattermostExport(o: GeneratedExport): Promise<string> {
  const random = createRandom(o.seed)
  const folder = mkdtempSync(join(tmpdir(), 'mattermost-generated-'))
  const stream = createWriteStream(join(folder, 'import.jsonl'))
  const write = async (type: string, value: unknown): Promise<void> => {
    if (!stream.write(`${JSON.stringify({ type, [type]: value })}\n`)) await once(stream, 'drain')
  }
  const writeFile = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(folder, 'data', path)), { recursive: true })
    writeFileSync(join(folder, 'data', path), content)
  }
  const writePicture = (path: string): string => {
    writeFile(path, picture)
    return path
  }
  const channels = Array.from({ length: o.channels }, (_, at) => `channel-${at}`)
  await write('version', 1)
  for (const name of teams)
    await write('team', { name, display_name: name, type: 'O', allow_open_invite: true })
  for (const team of teams)
    for (const [at, name] of channels.entries())
      await write('channel', {
        team,
        name,
        display_name: `Channel ${at}`,
        type: at % 5 === 4 ? 'P' : 'O',
        header: `Topic ${at}`,
        purpose: '',
        ...(at % 7 === 6 ? { deleted_at: firstTime } : {}),
      })
  for (let at = 0; at < o.people; at++)
    await write('user', {
      username: `person${at}`,
      email: o.emails?.[at] ?? `person${at}@example.org`,
      nickname: `Person ${at % 50}`,
      position: at % 3 === 0 ? 'Nurse' : '',
      roles: 'system_user',
      delete_at: at % 10 === 9 ? firstTime : 0,
      ...(at < 5 ? { profile_image: writePicture(`users/person${at}/profile.png`) } : {}),
      teams: teams.map((name) => ({
        name,
        roles: 'team_user',
        channels: channels
          .filter((_channel, index) => (index + at) % 3 === 0)
          .map((channel) => ({
            name: channel,
            roles: at < 3 ? 'channel_user channel_admin' : 'channel_user',
          })),
      })),
    })
  await write('bot', { username: 'deploy', display_name: 'Deploy', owner: 'person0' })

  const person = (): string => `person${random.below(o.people)}`
  const text = (): string =>
    Array.from({ length: 3 + random.below(20) }, () => random.pick(wordList)).join(' ')
  const filesEvery = Math.max(1, Math.floor(o.messages / Math.max(1, o.files)))
  let [written, files] = [0, 0]
  const fields = (time: number): Record<string, unknown> => {
    const message: Record<string, unknown> = {
      user: person(),
      message: text(),
      create_at: time,
      type: '',
      props: {},
    }
    if (random.happens(0.1))
      message['message'] = `@${person()} **${text()}** [link](https://example.org/${written})`
    if (random.happens(0.05)) message['edit_at'] = time + 5_000
    if (random.happens(0.1))
      message['reactions'] = Array.from({ length: 1 + random.below(4) }, () => ({
        user: person(),
        emoji_name: random.pick(emoji),
        create_at: time,
      }))
    if (written % filesEvery === 0 && files < o.files) {
      const path = `2023/teams/files/${files++}.txt`
      message['attachments'] = [{ path }]
      // One file in ten is missing.
      if (files % 10 !== 0) writeFile(path, `The bytes of ${path}`)
    }
    written++
    return message
  }

  while (written < o.messages) {
    // Posts have random ids, and are in their order.
    const time = firstTime + random.below(10_000_000) * 100
    const place = { team: random.pick(teams), channel: random.pick(channels) }
    const post = { ...place, ...fields(time) }
    const kind = random.below(100)
    if (kind < 20)
      Object.assign(post, {
        replies: Array.from({ length: Math.min(1 + random.below(5), o.messages - written) }, (_, at) =>
          fields(time + 1_000 * at),
        ),
        // One thread in 100 has lost its first message.
        ...(random.happens(0.01) ? { create_at: null } : {}),
      })
    else if (kind < 25)
      Object.assign(post, { user: 'person0', props: { from_webhook: 'true', override_username: 'Alerts' } })
    else if (kind < 28) Object.assign(post, { user: 'deploy', props: { from_bot: 'true' } })
    else if (kind < 31)
      Object.assign(post, {
        type: ['system_join_channel', 'system_leave_channel', 'system_join_team'][kind - 28],
      })
    else if (kind < 41) {
      const [one, other] = [`person${random.below(20)}`, `person${random.below(20)}`]
      await write('direct_post', { ...post, channel_members: [one, other], user: one })
      continue
    }
    await write('post', post)
    if (kind === 99 && written < o.messages) {
      written++
      await write('post', post)
    }
  }
  // Custom emoji come after the posts.
  await write('emoji', { name: 'party_parrot', image: writePicture('emoji/1/image') })
  stream.write('{"type":"post","post":{"team":"main",\n')
  stream.end()
  await once(stream, 'close')
  return folder
}
