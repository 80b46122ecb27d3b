import { open as openFile, stat } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { textOf } from '../../../../supabase/functions/_shared/payloadFields.ts'
import { parseUrl } from '../../../runtime/parseUrl.ts'
import { ExportError } from '../ExportError.ts'
import type { ExportReader } from '../ExportReader.ts'
import { openExport, type ExportFiles, type ExportLimits } from '../openExport.ts'
import { convertText, type PostText } from './convertText.ts'
import { readLines, type Line } from './readLines.ts'
import { readLists, type MattermostLists } from './readLists.ts'
import { readMessages, type PostContext } from './readMessages.ts'

export interface MattermostOptions {
  /**
   * The address of the Mattermost server. Exports do not have it. It distinguishes servers that have teams or people of the same
   * name, and links to channels at this address lead to the imported ones.
   */
  server?: unknown
  limits?: ExportLimits
}

/** The file with the lines of an export, and where its other files are. */
interface Lines {
  name: string
  files: ExportFiles
  findFile(path: unknown): string | null
}

/**
 * Opens an export of Mattermost, also one that mmetl has written: a ZIP, a folder with its content, or only its file of lines. Throws
 * ExportError if it is none.
 */
export async function openMattermost(
  path: string,
  { server, limits }: MattermostOptions = {},
): Promise<ExportReader> {
  const address = parseServer(server)
  const files = (await openSingle(path)) ?? (await openExport(path, limits))
  try {
    const lines = findLines(files)
    return createReader(lines, await readLists(linesOf(lines), lines.findFile), address)
  } catch (error) {
    files.close()
    throw error
  }
}

/** The address of a server without a slash at its end; null if it is not known. */
function parseServer(server: unknown): string | null {
  if (server === undefined) return null
  const url = parseUrl(textOf(server))
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new ExportError('The address of the Mattermost server must be like https://chat.example.org.')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** A file that is no ZIP; null for a ZIP or a folder, and if there is none. */
async function openSingle(path: string): Promise<ExportFiles | null> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) return null
  const file = await openFile(path)
  const start = Buffer.alloc(2)
  await file.read(start, 0, 2, 0).finally(() => file.close())
  if (start.toString() === 'PK') return null
  return {
    sizes: new Map([[basename(path), found.size]]),
    open: async () => createReadStream(path),
    close() {},
  }
}

/** Some programs pack the folder around the files too. */
function findLines(files: ExportFiles): Lines {
  const names = Array.from(files.sizes.keys())
  const [single] = names
  const isLines = (name: string): boolean => /(?:^|\/)[^./][^/]*\.jsonl$/i.test(name)
  const depthOf = (name: string): number => name.split('/').length
  const found = names.length === 1 ? names : names.filter((name) => isLines(name) && depthOf(name) <= 2)
  const depth = Math.min(...found.slice(0, 1_000).map(depthOf))
  const candidates = found.filter((name) => depthOf(name) === depth && !name.startsWith('__MACOSX/'))
  const name = candidates.find((candidate) => basename(candidate) === 'import.jsonl') ?? candidates[0]
  if (name === undefined || single === undefined)
    throw new ExportError('This is no export of Mattermost: it has no file whose name ends with .jsonl.')
  if (candidates.length > 1 && basename(name) !== 'import.jsonl')
    throw new ExportError(
      `The export has several files whose names end with .jsonl, such as ${candidates.slice(0, 3).join(', ')}. Only one can be imported at a time.`,
    )
  const folder = name.slice(0, name.length - basename(name).length)
  return {
    name,
    files,
    findFile(path) {
      const written = textOf(path)
        .replaceAll('\\', '/')
        .replace(/^(?:\.?\/)+/, '')
      if (written === '') return null
      const places = [`${folder}data/${written}`, `${folder}${written}`]
      return places.find((place) => place !== name && files.sizes.has(place)) ?? null
    },
  }
}

/** Throws ExportError if the bytes of the file are damaged, for example if the end of the ZIP is missing. */
async function* linesOf({ name, files }: Lines): AsyncGenerator<Line> {
  try {
    yield* readLines(await files.open(name))
  } catch (error) {
    throw new ExportError(`${name} cannot be read to its end: ${(error as Error).message}.`, { cause: error })
  }
}

const lostNotes: Record<Parameters<PostContext['onLost']>[0], string> = {
  damaged: 'lines are damaged, and are not imported',
  'too large': 'lines have more than 8 MiB, and are not imported',
  'no channel': 'threads are in channels that the export does not list, and are not imported',
}

function createReader(lines: Lines, lists: MattermostLists, server: string | null): ExportReader {
  const { files, findFile } = lines
  const { people, channels, emoji, notes } = lists
  const sizeOf = (path: string): number | null => files.sizes.get(path) ?? null
  return {
    product: 'mattermost',
    label: 'Mattermost',
    source: server ?? '',
    sourceName: lists.name,
    people,
    channels,
    emoji,
    notes,
    async *readMessages(onSkipped) {
      for (const sentence of Object.values(lostNotes)) notes.delete(sentence)
      yield* readMessages(linesOf(lines), {
        channels: new Set(channels.map(({ key }) => key)),
        findFile,
        sizeOf,
        onSkipped,
        onLost: (reason) => notes.set(lostNotes[reason], (notes.get(lostNotes[reason]) ?? 0) + 1),
      })
    },
    convertText: (fields, mapping, after) => convertText(fields as PostText, mapping, after, server),
    sizeOf,
    open: (path) => files.open(path),
    close: () => files.close(),
  }
}
