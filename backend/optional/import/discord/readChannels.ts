import { isObject, objectOf, type Fields } from '../../../../supabase/functions/_shared/payloadFields.ts'
import { ExportError } from '../ExportError.ts'
import { lineOf } from '../lineOf.ts'
import type { ExportFiles } from '../openExport.ts'
import { readJsonObject, type Member } from '../readJsonArray.ts'
import { idOf } from './snowflakes.ts'

/** A channel or thread of an export. */
export interface DiscordChannel {
  id: string
  /** Such as "GuildTextChat". */
  type: string
  /** The id of its category; of a thread, the id of its channel. Empty if it has none. */
  parent: string
  parentName: string
  name: string
  topic: string
  guildName: string
  /** The files with its messages. */
  files: string[]
  /** The export is of a time of the channel. */
  isPartial: boolean
}

export interface DiscordChannels {
  channels: Map<string, DiscordChannel>
  /** JSON files that are no export of a channel. */
  unknownFiles: number
}

const maxChannels = 200_000
const headKeys = ['guild', 'channel', 'dateRange']
const maxHeadMembers = 50
const threadTypes = new Set(['GuildNewsThread', 'GuildPublicThread', 'GuildPrivateThread', '10', '11', '12'])

/** Whether a channel is a thread of another one. */
export function isThread({ type }: Pick<DiscordChannel, 'type'>): boolean {
  return threadTypes.has(type)
}

/** Whether only some people can read a thread. */
export function isPrivateThread({ type }: Pick<DiscordChannel, 'type'>): boolean {
  return type === 'GuildPrivateThread' || type === '12'
}

/**
 * Finds the files of an export, which has one for each channel and thread, or several if it was exported in parts. Throws
 * ExportError if there is none.
 */
export async function readChannels(files: ExportFiles): Promise<DiscordChannels> {
  const channels = new Map<string, DiscordChannel>()
  let unknownFiles = 0
  for (const path of Array.from(files.sizes.keys()).sort()) {
    if (!isExportPath(path)) continue
    const found = await readHead(files, path)
    if (found === null) {
      unknownFiles++
      continue
    }
    const channel = channels.get(found.id)
    if (channel === undefined) channels.set(found.id, found)
    else {
      channel.files.push(path)
      channel.isPartial &&= found.isPartial
    }
    if (channels.size > maxChannels)
      throw new ExportError(`The export has more than ${maxChannels} channels and threads.`)
  }
  if (channels.size === 0)
    throw new ExportError(
      'This is no export of Discord: it has no JSON file with the messages of a channel. Export the channels with DiscordChatExporter in the format JSON.',
    )
  return { channels, unknownFiles }
}

/** Folders with the files of messages can have JSON files too. */
function isExportPath(path: string): boolean {
  return /\.json$/i.test(path) && !/_Files\//.test(path) && !path.startsWith('__MACOSX/')
}

/** Reads what stands before the messages of a file; null if it is no export of a channel. */
async function readHead(files: ExportFiles, path: string): Promise<DiscordChannel | null> {
  const head: Fields = {}
  let count = 0
  for await (const member of readMembers(files, path)) {
    if (member.key === 'messages' || ++count > maxHeadMembers) break
    if ('value' in member && headKeys.includes(member.key)) head[member.key] = member.value
  }
  const [guild, channel, range] = headKeys.map((key) => objectOf(head[key]))
  const id = idOf(channel!['id'])
  // Other files can have a channel, but no server. Direct conversations have one of their own.
  if (id === '' || !isObject(head['guild'])) return null
  return {
    id,
    type: typeof channel!['type'] === 'string' ? channel!['type'] : '',
    parent: idOf(channel!['categoryId']),
    parentName: lineOf(channel!['category'], 80),
    name: lineOf(channel!['name'], 80) || id,
    topic: lineOf(channel!['topic'], 1_000),
    guildName: lineOf(guild!['name'], 80),
    files: [path],
    isPartial: [range!['after'], range!['before']].some((one) => typeof one === 'string'),
  }
}

/** The members of a file, with each message. One whose bytes are damaged ends with a problem. */
export async function* readMembers(files: ExportFiles, path: string): AsyncGenerator<Member> {
  try {
    yield* readJsonObject(await files.open(path), ['messages'])
  } catch {
    yield { key: '', problem: 'damaged' }
  }
}

/** The messages of the files of a channel. */
export async function* readEntries(
  files: ExportFiles,
  channel: DiscordChannel,
  onSkipped: (reason: string) => void,
): AsyncGenerator<{ id: string; path: string; fields: Fields }> {
  for (const path of channel.files) {
    for await (const member of readMembers(files, path)) {
      if ('problem' in member) onSkipped(member.problem)
      else if (member.key === 'messages') {
        const id = isObject(member.value) ? idOf(member.value['id']) : ''
        if (id === '') onSkipped('without an id')
        else yield { id, path, fields: member.value as Fields }
      }
    }
  }
}
