import type { ExportReader } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import { openExport, type ExportFiles, type ExportLimits } from '../openExport.ts'
import { convertText } from './convertText.ts'
import { planChannels } from './planChannels.ts'
import { isPrivateThread, isThread, readChannels } from './readChannels.ts'
import { readMessages, type DiscordText } from './readMessages.ts'
import { surveyMessages } from './surveyMessages.ts'

/**
 * Opens an export of DiscordChatExporter in the format JSON: a ZIP or a folder with a file for each channel and thread. Throws
 * ExportError if it is none.
 */
export async function openDiscord(path: string, limits?: ExportLimits): Promise<ExportReader> {
  const files = await openExport(path, limits)
  try {
    return await createReader(files)
  } catch (error) {
    files.close()
    throw error
  }
}

async function createReader(files: ExportFiles): Promise<ExportReader> {
  const found = await readChannels(files)
  const { channels } = found
  const survey = await surveyMessages(files, found)
  const layout = planChannels(channels, survey)
  const notes = new Map<string, number>()
  const onNote = (sentence: string, count: number): void => {
    if (count > 0) notes.set(sentence, (notes.get(sentence) ?? 0) + count)
  }
  const all = Array.from(channels.values())
  onNote('JSON files are no export of a channel', found.unknownFiles)
  onNote(
    'channels and threads are exported for a part of their time',
    all.filter(({ isPartial }) => isPartial).length,
  )
  onNote('private threads become channels of their own', all.filter(isPrivateThread).length)
  onNote(
    'threads become channels, because the export does not have their channel',
    all.filter((one) => isThread(one) && !isPrivateThread(one) && layout.placeOf(one.id)?.root === null)
      .length,
  )
  const context = { survey, layout, nameOf: (id: string) => channels.get(id)?.name ?? id }
  return {
    product: 'discord',
    label: 'Discord',
    // Ids of Discord are unique in all of its servers.
    source: '',
    sourceName: lineOf(
      Array.from(new Set(all.map(({ guildName }) => guildName)))
        .filter(Boolean)
        .join(', '),
      200,
    ),
    people: survey.people,
    channels: layout.channels,
    emoji: Array.from(survey.emoji.values())
      .filter(({ path }) => path !== '')
      .map(({ name, aliases, path }) => ({ name, aliases, path })),
    notes,
    readMessages: (onSkipped) => readMessages({ files, channels, survey, layout, onSkipped, onNote }),
    convertText: (fields, mapping, lines) => convertText(fields as DiscordText, mapping, lines, context),
    sizeOf: (name) => files.sizes.get(name) ?? null,
    open: (name) => files.open(name),
    close: () => files.close(),
  }
}
