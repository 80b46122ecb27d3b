import type { Fields } from '../../../../supabase/functions/_shared/payloadFields.ts'
import { ExportError } from '../ExportError.ts'
import type { ExportedMessage, ExportReader } from '../ExportReader.ts'
import { findFolder, openExport, type ExportFiles, type ExportLimits } from '../openExport.ts'
import { convertText } from './convertText.ts'
import { countDomains } from './countDomains.ts'
import { readLists, type SlackLists } from './readLists.ts'
import { readMessages } from './readMessages.ts'
import { findStoredFiles } from './slackFiles.ts'

/** Opens an export of Slack: a ZIP or a folder, also one of slackdump. Throws ExportError if it is none. */
export async function openSlack(path: string, limits?: ExportLimits): Promise<ExportReader> {
  const opened = await openExport(path, limits)
  try {
    const files = findFolder(opened, ['users.json', 'channels.json'])
    if (files === null)
      throw new ExportError('This is no export of Slack: it has neither users.json nor channels.json.')
    return createReader(files, await readLists(files))
  } catch (error) {
    opened.close()
    throw error
  }
}

function createReader(files: ExportFiles, lists: SlackLists): ExportReader {
  const folders = findStoredFiles(files)
  const notes = new Map<string, number>()
  const note = (sentence: string, count: number): void => {
    if (count > 0) notes.set(sentence, (notes.get(sentence) ?? 0) + count)
  }
  const domains = countDomains()
  note('canvases are not imported', lists.canvases)
  note('folders belong to no channel of the lists, and are not imported', lists.unknownFolders.length)
  return {
    product: 'slack',
    label: 'Slack',
    source: lists.team,
    get sourceName() {
      return domains.mostFrequent()
    },
    people: lists.users,
    channels: lists.channels,
    emoji: [],
    notes,
    async *readMessages(onSkipped): AsyncGenerator<ExportedMessage> {
      for (const channel of lists.channels) {
        const options = { folders, onSkipped: (reason: string) => onSkipped(channel.key, reason) }
        for await (const message of readMessages(files, channel, options)) {
          if (isHuddle(message)) note('huddles have only their notice', 1)
          domains.add(message)
          yield message
        }
      }
    },
    convertText: (fields, mapping, lines) => convertText(fields as Fields, mapping, lines),
    sizeOf: (name) => files.sizes.get(name) ?? null,
    open: (name) => files.open(name),
    close: () => files.close(),
  }
}

function isHuddle({ content }: ExportedMessage): boolean {
  return content.kind === 'text' && (content.fields as Fields)['subtype'] === 'huddle_thread'
}
