import { createWriteStream, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import type { FixtureFiles } from '../exportFiles.fixture.ts'

const bytesOf = (content: unknown): Buffer =>
  Buffer.from(
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  )

/**
 * Writes a tar file that is packed by gzip, as Zulip does, and returns its path.
 * @param links symbolic links by their names
 */
export async function writeExportTar(
  files: FixtureFiles,
  links: Record<string, string> = {},
): Promise<string> {
  const path = join(mkdtempSync(join(tmpdir(), 'zulip-export-')), 'export.tar.gz')
  const tar = pack()
  for (const [name, linkname] of Object.entries(links)) tar.entry({ name, type: 'symlink', linkname })
  for (const [name, content] of Object.entries(files)) tar.entry({ name }, bytesOf(content))
  tar.finalize()
  await pipeline(tar as unknown as NodeJS.ReadableStream, createGzip(), createWriteStream(path))
  return path
}

export const user = (id: number, name: string, more: object = {}): object => ({
  id,
  email: `user${id}@chat.example.org`,
  delivery_email: `${name.split(' ')[0]!.toLowerCase()}@example.org`,
  full_name: name,
  is_active: true,
  is_bot: false,
  recipient: 100 + id,
  ...more,
})

export const stream = (id: number, name: string, more: object = {}): object => ({
  id,
  name,
  description: '',
  date_created: 1_600_000_000.5,
  deactivated: false,
  invite_only: false,
  history_public_to_subscribers: true,
  creator: 1,
  ...more,
})

/** A message of Ann in the stream 1, without a topic. */
export const message = (id: number, content: string, more: object = {}): object => ({
  id,
  sender: 1,
  recipient: 201,
  subject: '',
  content,
  rendered_content: `<p>${content}</p>`,
  date_sent: 1_700_000_000 + id,
  last_edit_time: null,
  edit_history: null,
  ...more,
})

export const subscription = (recipient: number, person: number, more: object = {}): object => ({
  user_profile: person,
  recipient,
  active: true,
  ...more,
})

/**
 * An export with the people Ann (1), Ben (2) and Cem (3), and the stream "general" (1). The recipient of the person 1 is 101, of
 * the stream 1 is 201, and of the group 1 of all three is 301.
 */
export const exportOf = (
  messages: readonly object[],
  realm: object = {},
  more: FixtureFiles = {},
): FixtureFiles => ({
  'realm.json': {
    zerver_realm: [{ id: 2, string_id: 'acme', date_created: 1_500_000_000.25 }],
    zerver_userprofile: [user(1, 'Ann'), user(2, 'Ben', { is_active: false }), user(3, 'Cem')],
    zerver_userprofile_mirrordummy: [],
    zerver_userprofile_crossrealm: [{ id: 9, email: 'welcome-bot@zulip.com', recipient_id: 109 }],
    zerver_stream: [stream(1, 'general')],
    zerver_subscription: [
      ...[1, 2].map((person) => subscription(201, person)),
      ...[1, 2, 3].map((person) => subscription(301, person)),
    ],
    zerver_recipient: [
      ...[1, 2, 3].map((id) => ({ id: 100 + id, type: 1, type_id: id })),
      ...[1, 2, 3, 4].map((id) => ({ id: 200 + id, type: 2, type_id: id })),
      { id: 301, type: 3, type_id: 1 },
    ],
    ...realm,
  },
  'messages-000001.json': { zerver_message: messages, zerver_usermessage: [{ id: 1, message: 1 }] },
  ...more,
})
