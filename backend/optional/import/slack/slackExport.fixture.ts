import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { downloadZip } from 'client-zip'

/** The files of an export by their paths. Values that are not bytes or texts are written as JSON. */
export type FixtureFiles = Record<string, unknown>

const bytesOf = (content: unknown): string | Uint8Array =>
  typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content)

/** Writes an export as a folder, and returns its path. */
export function writeExportFolder(files: FixtureFiles): string {
  const folder = mkdtempSync(join(tmpdir(), 'slack-export-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), bytesOf(content))
  }
  return folder
}

/** Writes an export as a ZIP, and returns its path. */
export async function writeExportZip(files: FixtureFiles): Promise<string> {
  const path = join(mkdtempSync(join(tmpdir(), 'slack-export-')), 'export.zip')
  const entries = Object.entries(files).map(([name, content]) => ({ name, input: bytesOf(content) }))
  writeFileSync(path, Buffer.from(await downloadZip(entries).arrayBuffer()))
  return path
}

export const user = (id: string, name: string, more: object = {}, profile: object = {}): object => ({
  id,
  team_id: 'T1',
  name: name.toLowerCase(),
  ...more,
  profile: { real_name: name, display_name: name, ...profile },
})

export const channel = (id: string, name: string, more: object = {}): object => ({
  id,
  name,
  created: 1_600_000_000,
  creator: 'U1',
  is_archived: false,
  members: ['U1', 'U2'],
  topic: { value: '' },
  purpose: { value: '' },
  ...more,
})

export const message = (ts: string, text: string, more: object = {}): object => ({
  type: 'message',
  user: 'U1',
  text,
  ts,
  ...more,
})

/** An export with these messages in one channel, of Ann and Ben. */
export const exportOf = (messages: readonly object[], more: FixtureFiles = {}): FixtureFiles => ({
  'users.json': [
    user('U1', 'Ann', {}, { email: 'Ann@example.org', title: 'Nurse' }),
    user('U2', 'Ben', { deleted: true }),
    user('USLACKBOT', 'Slackbot'),
  ],
  'channels.json': [channel('C1', 'general')],
  'general/2023-11-14.json': messages,
  ...more,
})
