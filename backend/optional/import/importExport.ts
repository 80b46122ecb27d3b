import { Readable } from 'node:stream'
import type { Client } from 'pg'
import type { ArchiveRow } from '../archive/ArchiveRow.ts'
import { completeChannel } from '../archive/completeImport.ts'
import type { ProjectServices } from '../archive/ImportRequest.ts'
import { importRows } from '../archive/importRows.ts'
import type { ReceiptCounts } from '../archive/Receipt.ts'
import type { ChannelContext, ChannelReceipt, StoredFile } from './convertChannel.ts'
import { convertMessages, convertPlan } from './convertExport.ts'
import type { FetchedFile } from './createFileFetcher.ts'
import { openExport, type ExportFiles } from './openExport.ts'
import { planImport, type Plan, type Target } from './planImport.ts'
import { readTarget } from './readTarget.ts'
import type { SlackFile } from './slack/slackFiles.ts'
import { surveyExport, type Survey } from './surveyExport.ts'

export interface SlackImport {
  /** A ZIP or a folder. */
  path: string
  /** A connection that reads the workspace. */
  database: Client
  workspaceId: string
  /** The address of the application. */
  site: string
  /** How rows and files are written; null: nothing is written. */
  writer: SlackWriter | null
  onStep?(title: string): void
}

export interface SlackWriter {
  /** A connection of its own, since the other one is used meanwhile. */
  database: Client
  services: ProjectServices
  /** Fetches a file behind a link; null: such files are missing. */
  fetchFile: ((file: SlackFile, url: string) => Promise<FetchedFile>) | null
}

/** What an import has done, or would do. */
export interface SlackReceipt {
  workspaceId: string
  people: { matched: number; imported: number }
  channels: ChannelReceipt[]
  renamed: Plan['renamed']
  separateConversations: number
  /** The number of rows that the export has of each table. */
  rows: Record<string, number>
  /** What has been written of each table; null if nothing was to be written. */
  written: Record<string, ReceiptCounts> | null
  /** Files behind links. */
  linkedFiles: number
  /** Custom emoji of reactions that the workspace does not have, with the number of reactions. */
  customEmoji: Record<string, number>
  huddles: number
  canvases: number
  sharedChannels: string[]
  unknownFolders: string[]
}

/** Of a stored file: the limit of the bucket. */
const maxFileBytes = 524_288_000

/** Imports an export, or only converts it. Throws ExportError and ArchiveError. */
export async function importSlackExport(o: SlackImport): Promise<SlackReceipt> {
  const files = await openExport(o.path)
  try {
    const target = await readTarget(o.database, o.workspaceId, o.site)
    const survey = await surveyExport(files)
    const plan = planImport(survey, target)
    const receipt = createReceipt(survey, plan, target.workspaceId)
    const context = createContext(o, { files, target, survey, plan, receipt })
    const messages = (): AsyncGenerator<ArchiveRow> =>
      counted(
        convertMessages(context, (channel) => receipt.channels.push(channel)),
        receipt,
      )
    if (o.writer === null) {
      for (const { table } of convertPlan(context)) receipt.rows[table] = (receipt.rows[table] ?? 0) + 1
      for await (const _ of messages());
      return receipt
    }
    const { database, services } = o.writer
    const request = { database, services, workspaceId: target.workspaceId, files: none() }
    o.onStep?.('Importing people and channels')
    // Files are stored as soon as their message is converted, when the channel has to exist.
    const first = await importRows({ ...request, rows: counted(convertPlan(context), receipt) })
    o.onStep?.('Importing messages and files')
    const second = await importRows({ ...request, rows: messages() })
    receipt.written = { ...first.tables, ...second.tables }
    // An earlier import may have been interrupted after the last message of a channel, before these were found by the search.
    for (const { id, isComplete } of plan.channels.values())
      if (isComplete) await completeChannel(database, id)
    return receipt
  } finally {
    files.close()
  }
}

async function* none(): AsyncGenerator<never> {}

/** Counts rows by their tables while they are written. */
async function* counted(
  rows: Iterable<ArchiveRow> | AsyncIterable<ArchiveRow>,
  receipt: SlackReceipt,
): AsyncGenerator<ArchiveRow> {
  for await (const row of rows) {
    receipt.rows[row.table] = (receipt.rows[row.table] ?? 0) + 1
    yield row
  }
}

function createContext(
  { writer, database }: SlackImport,
  o: { files: ExportFiles; target: Target; survey: Survey; plan: Plan; receipt: SlackReceipt },
): ChannelContext & { workspaceId: string } {
  const { files, target, survey, plan, receipt } = o
  /** Stores bytes, unless an earlier import has done so. */
  const store = async (
    [channelId, uploadId]: [string, string],
    type: string,
    size: number,
    open: () => Promise<AsyncIterable<Uint8Array>>,
  ): Promise<StoredFile> => {
    if (size > maxFileBytes) return { problem: 'larger than 500 MiB' }
    const name = `${channelId}/${uploadId}/file`
    await writer?.services.storeObject({ bucket: 'files', name, size, type, open })
    return { size }
  }
  return {
    files,
    survey,
    plan,
    site: target.site,
    workspaceId: target.workspaceId,
    now: Date.now() * 1_000,
    async storeFile(channelId, uploadId, { source, size, type, ...file }): Promise<StoredFile> {
      const place: [string, string] = [channelId, uploadId]
      if (source.kind === 'external') return { problem: 'of another service' }
      if (source.kind === 'missing') return { problem: source.reason }
      if (source.kind === 'stored')
        return store(place, type, files.sizes.get(source.path) ?? 0, () => files.open(source.path))
      if (writer === null) return { size: size ?? 0 }
      const earlier = await database.query<{ size: string }>(
        'select a.size from public.attachments a where a.upload_id = $1 and a.upload_channel_id = $2 limit 1',
        [uploadId, channelId],
      )
      if (earlier.rows[0] !== undefined) return { size: Number(earlier.rows[0].size) }
      if (writer.fetchFile === null) return { problem: 'behind a link' }
      const fetched = await writer.fetchFile({ source, size, type, ...file }, source.url)
      if ('problem' in fetched) return fetched
      return store(place, type, fetched.bytes.length, async () => Readable.from([fetched.bytes]))
    },
    async storeText(channelId, uploadId, text) {
      const bytes = Buffer.from(text)
      await store([channelId, uploadId], 'text/markdown', bytes.length, async () => Readable.from([bytes]))
      return bytes.length
    },
    onCustomEmoji(name) {
      if (!target.emojiNames.has(name.slice(1, -1)))
        receipt.customEmoji[name] = (receipt.customEmoji[name] ?? 0) + 1
    },
  }
}

function createReceipt(survey: Survey, plan: Plan, workspaceId: string): SlackReceipt {
  const people = new Map(Array.from(plan.people.values(), (person) => [person.profileId, person]))
  const matched = Array.from(people.values()).filter(({ isMatched }) => isMatched).length
  const sum = (count: (one: Survey['surveys'][number]) => number): number =>
    survey.surveys.reduce((total, one) => total + count(one), 0)
  return {
    workspaceId,
    people: { matched, imported: people.size - matched },
    channels: [],
    renamed: plan.renamed,
    separateConversations: plan.separateConversations,
    rows: {},
    written: null,
    linkedFiles: sum(({ linkedFiles }) => linkedFiles),
    customEmoji: {},
    huddles: sum(({ huddles }) => huddles),
    canvases: survey.canvases,
    sharedChannels: survey.channels.filter(({ isShared }) => isShared).map(({ name }) => name),
    unknownFolders: survey.unknownFolders,
  }
}
