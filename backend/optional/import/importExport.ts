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
import type { ExportedFile, ExportReader, Product } from './ExportReader.ts'
import type { ImportChoices } from './importChoices.ts'
import { planImport, type Plan, type Target } from './planImport.ts'
import { readTarget } from './readTarget.ts'
import { surveyExport, type Survey } from './surveyExport.ts'

/** What `importExport` needs. */
export interface ExportImport {
  /** The caller closes it. */
  reader: ExportReader
  /** A connection that reads the workspace. */
  database: Client
  workspaceId: string
  /** The address of the application. */
  site: string
  choices?: ImportChoices
  /** How rows and files are written; null: nothing is written. */
  writer: ImportWriter | null
  onStep?(title: string): void
  /** Called for every 1,000 messages. `total` is null until the export has been read. */
  onProgress?(messages: number, total: number | null): void
}

export interface ImportWriter {
  /** A connection of its own, since the other one is used meanwhile. */
  database: Client
  services: ProjectServices
  /** Fetches a file behind a link; null: such files are missing. */
  fetchFile: ((file: ExportedFile, url: string) => Promise<FetchedFile>) | null
}

/** What an import has done, or would do. */
export interface ImportReceipt {
  product: Product
  workspaceId: string
  people: { matched: number; imported: number; list: ReceiptPerson[] }
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
  sharedChannels: string[]
  /** See `ExportReader.notes`. */
  notes: Record<string, number>
}

/** A person of the export, or another author. */
export interface ReceiptPerson {
  key: string
  name: string
  /** Empty if the export has none. */
  email: string
  profileId: string
  /** Whether it is the profile of a member. */
  isMatched: boolean
}

/** Of a stored file: the limit of the bucket. */
const maxFileBytes = 524_288_000
const messagesPerProgress = 1_000

/** Imports an export, or only converts it. Throws ExportError and ArchiveError. */
export async function importExport(o: ExportImport): Promise<ImportReceipt> {
  const { reader, database } = o
  const target = await readTarget(database, o.workspaceId, o.site)
  const survey = await surveyExport(reader, (count) => o.onProgress?.(count, null))
  try {
    const plan = planImport(reader, survey, target, o.choices)
    const receipt = createReceipt(reader, survey, plan, target.workspaceId)
    const context = createContext(o, { target, survey, plan, receipt })
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
    const { services } = o.writer
    const request = { database: o.writer.database, services, workspaceId: target.workspaceId, files: none() }
    o.onStep?.('Importing people and channels')
    // Files are stored as soon as their message is converted, when the channel has to exist.
    const first = await importRows({ ...request, rows: counted(convertPlan(context), receipt) })
    o.onStep?.('Importing messages and files')
    const second = await importRows({ ...request, rows: messages() })
    receipt.written = { ...first.tables, ...second.tables }
    // An earlier import may have been interrupted after the last message of a channel, before these were found by the search.
    for (const { id, isComplete } of plan.channels.values())
      if (isComplete) await completeChannel(request.database, id)
    return receipt
  } finally {
    await survey.messages.close()
  }
}

async function* none(): AsyncGenerator<never> {}

/** Counts rows by their tables while they are written. */
async function* counted(
  rows: Iterable<ArchiveRow> | AsyncIterable<ArchiveRow>,
  receipt: ImportReceipt,
): AsyncGenerator<ArchiveRow> {
  for await (const row of rows) {
    receipt.rows[row.table] = (receipt.rows[row.table] ?? 0) + 1
    yield row
  }
}

function createContext(
  { reader, writer, database, onProgress }: ExportImport,
  o: { target: Target; survey: Survey; plan: Plan; receipt: ImportReceipt },
): ChannelContext & { workspaceId: string } {
  const { target, survey, plan, receipt } = o
  const total = survey.surveys.reduce((sum, { read }) => sum + read, 0)
  let converted = 0
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
    reader,
    survey,
    plan,
    site: target.site,
    workspaceId: target.workspaceId,
    now: Date.now() * 1_000,
    onMessage() {
      if (++converted % messagesPerProgress === 0) onProgress?.(converted, total)
    },
    async storeFile(channelId, uploadId, file): Promise<StoredFile> {
      const { source, size, type } = file
      const place: [string, string] = [channelId, uploadId]
      if (source.kind === 'external') return { problem: 'of another service' }
      if (source.kind === 'missing') return { problem: source.reason }
      if (source.kind === 'stored') {
        const found = reader.sizeOf(source.path)
        return found === null
          ? { problem: 'not in the export' }
          : store(place, type, found, () => reader.open(source.path))
      }
      if (writer === null) return { size: size ?? 0 }
      const earlier = await database.query<{ size: string }>(
        'select a.size from public.attachments a where a.upload_id = $1 and a.upload_channel_id = $2 limit 1',
        [uploadId, channelId],
      )
      if (earlier.rows[0] !== undefined) return { size: Number(earlier.rows[0].size) }
      if (writer.fetchFile === null) return { problem: 'behind a link' }
      const fetched = await writer.fetchFile(file, source.url)
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

function createReceipt(
  { product, channels, notes, people: known }: ExportReader,
  { surveys }: Survey,
  plan: Plan,
  workspaceId: string,
): ImportReceipt {
  const people = new Map(Array.from(plan.people.values(), (person) => [person.profileId, person]))
  const matched = Array.from(people.values()).filter(({ isMatched }) => isMatched).length
  const list = Array.from(plan.people, ([key, { name, profileId, isMatched }]) => {
    return { key, name, email: known.get(key)?.email ?? '', profileId, isMatched }
  })
  return {
    product,
    workspaceId,
    people: { matched, imported: people.size - matched, list },
    channels: [],
    renamed: plan.renamed,
    separateConversations: plan.separateConversations,
    rows: {},
    written: null,
    linkedFiles: surveys.reduce((sum, survey) => sum + survey.linkedFiles, 0),
    customEmoji: {},
    sharedChannels: channels.filter(({ isShared }) => isShared).map(({ name }) => name),
    notes: Object.fromEntries(notes),
  }
}
