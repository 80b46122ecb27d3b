import { Readable } from 'node:stream'
import type { Client } from 'pg'
import type { ArchiveRow } from '../archive/ArchiveRow.ts'
import { completeChannels } from '../archive/completeImport.ts'
import type { ProjectServices } from '../archive/ImportRequest.ts'
import { beginImport, finishImport } from '../archive/importRecord.ts'
import { importRows } from '../archive/importRows.ts'
import { runInTransaction } from '../archive/importTransaction.ts'
import type { ReceiptCounts } from '../archive/Receipt.ts'
import type { ChannelContext, ChannelReceipt, StoredFile } from './convertChannel.ts'
import { avatarName, convertMessages, convertPlan } from './convertExport.ts'
import { createFileStore } from './createFileStore.ts'
import type { FetchedFile } from './createFileFetcher.ts'
import type { ExportedFile, ExportReader, Product } from './ExportReader.ts'
import { findPictures, type Pictures, type StoredPicture } from './findPictures.ts'
import type { ImportChoices } from './importChoices.ts'
import { planImport, type Plan, type Target } from './planImport.ts'
import { readStorage, requireStorage, type ImportStorage } from './readStorage.ts'
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
  /** Of a temporary file with the texts of all messages. */
  directory: string
  choices?: ImportChoices
  /** The name of the exported workspace, if it is not the one that the export has. At most 200 characters. */
  name?: string
  /** The profile of the owner who imports; null: the operator of the server. */
  importedBy: string | null
  /** How rows and files are written; null: nothing is written. */
  writer: ImportWriter | null
  /** Fetches a file behind a link, unless nothing is written; null: such files are missing. */
  fetchFile: ((file: ExportedFile, url: string) => Promise<FetchedFile>) | null
  onStep?(title: string): void
  /** Called for every 1,000 messages. `total` is null until the export has been read. */
  onProgress?(messages: number, total: number | null): void
}

export interface ImportWriter {
  /** A connection of its own, since the other one is used meanwhile. */
  database: Client
  /** Opens another one. */
  connect(): Promise<Client>
  services: ProjectServices
}

/** What an import has done, or would do. */
export interface ImportReceipt {
  product: Product
  /** The name of the exported workspace. */
  sourceName: string
  workspaceId: string
  people: { matched: number; imported: number; list: ReceiptPerson[] }
  channels: ChannelReceipt[]
  renamed: Plan['renamed']
  separateConversations: number
  /** The number of rows that the export has of each table. */
  rows: Record<string, number>
  /** What has been written of each table; null if nothing was to be written. */
  written: Record<string, ReceiptCounts> | null
  storage: ImportStorage
  /** Files behind links. */
  linkedFiles: number
  /** Pictures of imported people. */
  pictures: number
  /** Custom emoji that the workspace gets, or has from an earlier import of the export. */
  emoji: number
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
  const survey = await surveyExport(reader, o.directory, (count) => o.onProgress?.(count, null))
  try {
    const plan = planImport(reader, survey, target, o.choices)
    const pictures = await findPictures(reader, plan, target)
    const storage = await readStorage(database, target.workspaceId, { survey, plan })
    const receipt = createReceipt(o, { survey, plan, pictures, storage })
    const context = (importId: string | null): Context =>
      createContext(o, { target, survey, plan, pictures, receipt, importId })
    if (o.writer === null) {
      const converted = context(null)
      for (const row of convertPlan(converted)) countRow(receipt, row)
      for await (const _ of readRows(converted, receipt));
      return receipt
    }
    const { database: connection, connect, services } = o.writer
    requireStorage(storage, o.fetchFile !== null)
    const importId = await beginImport(connection, target.workspaceId, {
      product: reader.product,
      sourceName: receipt.sourceName,
      importedBy: o.importedBy,
    })
    const begun = context(importId)
    const request = {
      database: connection,
      connect,
      services,
      workspaceId: target.workspaceId,
      files: none(),
    }
    o.onStep?.('Importing people and channels')
    // Files are stored as soon as their message is converted, when the channel has to exist.
    const first = await importRows({ ...request, rows: counted(convertPlan(begun), receipt) })
    await storePictures(o.writer, reader, pictures, target.workspaceId)
    o.onStep?.('Importing messages and files')
    const second = await importRows({ ...request, rows: readRows(begun, receipt) })
    receipt.written = { ...first.tables, ...second.tables }
    // An earlier import may have been interrupted after the last message of a channel, before these were found by the search.
    const complete = Array.from(plan.channels.values()).filter(({ isComplete }) => isComplete)
    await completeChannels(connection, complete.map(({ id }) => id).sort())
    await finishImport(connection, importId, shortenReceipt(receipt))
    return receipt
  } finally {
    await survey.messages.close()
  }
}

async function* none(): AsyncGenerator<never> {}

type Context = Parameters<typeof convertPlan>[0] & ChannelContext

/** The rows of the messages. The receipts of their channels are complete at the end. */
async function* readRows(context: Context, receipt: ImportReceipt): AsyncGenerator<ArchiveRow> {
  for await (const rows of convertMessages(context, (channel) => receipt.channels.push(channel)))
    for (const row of rows) {
      countRow(receipt, row)
      yield row
    }
}

function countRow({ rows }: ImportReceipt, { table }: ArchiveRow): void {
  rows[table] = (rows[table] ?? 0) + 1
}

/** Stores the pictures of imported people and the custom emoji whose rows have been written. */
async function storePictures(
  { database, services }: ImportWriter,
  reader: ExportReader,
  { avatars, emoji }: Pictures,
  workspaceId: string,
): Promise<void> {
  const store = async (pictures: Iterable<[name: string, picture: StoredPicture]>): Promise<number> => {
    const files = createFileStore(services)
    for (const [name, { path, type, size }] of pictures)
      await files.add({ bucket: 'avatars', name, type, size, open: () => reader.open(path) })
    return files.finish()
  }
  await store(Array.from(avatars, ([profileId, picture]) => [avatarName(profileId), picture]))
  const newEmoji = await store(emoji.map(({ id, picture }) => [`${workspaceId}/${id}`, picture]))
  if (newEmoji > 0)
    await runInTransaction(database, () =>
      database.query('select app.change_emoji_version($1)', [workspaceId]),
    )
}

/** Counts rows by their tables while they are written. */
async function* counted(rows: Iterable<ArchiveRow>, receipt: ImportReceipt): AsyncGenerator<ArchiveRow> {
  for (const row of rows) {
    countRow(receipt, row)
    yield row
  }
}

function createContext(
  { reader, writer, fetchFile, database, onProgress }: ExportImport,
  o: {
    target: Target
    survey: Survey
    plan: Plan
    pictures: Pictures
    receipt: ImportReceipt
    importId: string | null
  },
): Context {
  const { target, survey, plan, pictures, receipt, importId } = o
  const emoji = new Set([
    ...Array.from(target.emoji.values()).flat(),
    ...pictures.emoji.flatMap(({ name, aliases }) => [name, ...aliases]),
  ])
  const total = survey.surveys.reduce((sum, { read }) => sum + read, 0)
  const files = writer === null ? null : createFileStore(writer.services)
  let converted = 0
  /** Stores bytes, unless an earlier import has done so. Does not wait for the end. */
  const store = async (
    [channelId, uploadId]: [string, string],
    type: string,
    size: number,
    open: () => Promise<AsyncIterable<Uint8Array>>,
  ): Promise<StoredFile> => {
    if (size > maxFileBytes) return { problem: 'larger than 500 MiB' }
    const name = `${channelId}/${uploadId}/file`
    await files?.add({ bucket: 'files', name, size, type, open })
    return { size }
  }
  return {
    reader,
    survey,
    plan,
    site: target.site,
    workspaceId: target.workspaceId,
    ownerId: target.ownerId,
    importId,
    pictures,
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
      if (writer === null) return fetchFile === null ? { problem: 'behind a link' } : { size: size ?? 0 }
      const earlier = await database.query<{ size: string }>(
        'select a.size from public.attachments a where a.upload_id = $1 and a.upload_channel_id = $2 limit 1',
        [uploadId, channelId],
      )
      if (earlier.rows[0] !== undefined) return { size: Number(earlier.rows[0].size) }
      if (fetchFile === null) return { problem: 'behind a link' }
      const fetched = await fetchFile(file, source.url)
      if ('problem' in fetched) return fetched
      const result = await store(place, type, fetched.bytes.length, async () =>
        Readable.from([fetched.bytes]),
      )
      // One fetched file is in memory at a time.
      await files?.finish()
      return result
    },
    async storeText(channelId, uploadId, text) {
      const bytes = Buffer.from(text)
      await store([channelId, uploadId], 'text/markdown', bytes.length, async () => Readable.from([bytes]))
      return bytes.length
    },
    async finishFiles() {
      await files?.finish()
    },
    onCustomEmoji(name) {
      if (!emoji.has(name.slice(1, -1))) receipt.customEmoji[name] = (receipt.customEmoji[name] ?? 0) + 1
    },
  }
}

function createReceipt(
  { reader, workspaceId, name }: ExportImport,
  o: { survey: Survey; plan: Plan; pictures: Pictures; storage: ImportStorage },
): ImportReceipt {
  const { survey, plan, pictures, storage } = o
  const profileIds = new Set(Array.from(plan.people.values(), ({ profileId }) => profileId))
  const matched = plan.matched.size
  const list = Array.from(plan.people, ([key, { name, profileId, isMatched }]) => {
    return { key, name, email: reader.people.get(key)?.email ?? '', profileId, isMatched }
  })
  return {
    product: reader.product,
    sourceName: name || reader.sourceName || reader.source || reader.label,
    workspaceId,
    people: { matched, imported: profileIds.size - matched, list },
    channels: [],
    renamed: plan.renamed,
    separateConversations: plan.separateConversations,
    rows: {},
    written: null,
    storage,
    linkedFiles: survey.surveys.reduce((sum, { linkedFiles }) => sum + linkedFiles, 0),
    pictures: pictures.avatars.size,
    emoji: pictures.emoji.length,
    customEmoji: {},
    sharedChannels: reader.channels.filter(({ isShared }) => isShared).map(({ name }) => name),
    notes: Object.fromEntries([...reader.notes, ...pictures.leftOut]),
  }
}

/** See `imports.receipt` of the schema, with room for the blanks that PostgreSQL adds. */
const maxReceiptCharacters = 2_500_000
const maxStoredChannels = 5_000

/** The receipt that the workspace stores. It has no list of people, and of very many channels only the first. */
function shortenReceipt({ people, channels, ...receipt }: ImportReceipt): object {
  const { matched, imported } = people
  const whole = { ...receipt, people: { matched, imported }, channels }
  if (JSON.stringify(whole).length <= maxReceiptCharacters) return whole
  const shown = Array.from(channels.slice(0, maxStoredChannels), (channel) => ({
    ...channel,
    missingFiles: [],
  }))
  return {
    ...whole,
    channels: shown,
    renamed: receipt.renamed.slice(0, maxStoredChannels),
    sharedChannels: receipt.sharedChannels.slice(0, maxStoredChannels),
    omittedChannels: channels.length - shown.length,
  }
}
