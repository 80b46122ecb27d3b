import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ArchiveError } from '../optional/archive/ImportRequest.ts'
import type { ChannelReceipt } from '../optional/import/convertChannel.ts'
import type { ExportImport, ImportReceipt, ImportWriter } from '../optional/import/importExport.ts'
import type { ImportChoices } from '../optional/import/importChoices.ts'
import { products, type ProductExports } from '../optional/import/products.ts'
import { ExportError } from '../optional/import/ExportError.ts'
import type { ExportReader } from '../optional/import/ExportReader.ts'
import { lineOf } from '../optional/import/lineOf.ts'
import { outputOption } from './backup.ts'
import { UsageError, defineCommand, type Command } from './Command.ts'
import { archiveProjectOptions, findWorkspaceId, openArchiveProject } from './archiveProject.ts'
import { endWithParent } from './endWithParent.ts'
import { limitHeapGrowth } from './limitHeapGrowth.ts'
import { parseOrigin } from './readArguments.ts'
import { createProgress, renderSize } from './progress.ts'

const maxLines = 40

const number = (value: number): string => value.toLocaleString('en')
const plural = (count: number, one: string, many: string): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** At most 40 lines, and how many more there are. */
function listed<Item>(items: readonly Item[], render: (item: Item) => string): string[] {
  const rest = items.length - maxLines
  const lines = items.slice(0, maxLines).map(render)
  return rest > 0 ? [...lines, `  … and ${number(rest)} more`] : lines
}

/** Why the import would be refused. */
function storageLines({ neededBytes, linkedBytes, freeBytes }: ImportReceipt['storage']): string[] {
  if (neededBytes + linkedBytes <= freeBytes) return []
  const linked = linkedBytes > 0 ? ` (${renderSize(neededBytes + linkedBytes)} with files behind links)` : ''
  return [
    `The storage of the workspace has room for ${renderSize(freeBytes)}. The files need ${renderSize(neededBytes)}${linked}.`,
  ]
}

function renderChannel({ name, read, written, skipped, createdRoots }: ChannelReceipt): string {
  const reasons = Object.entries(skipped).map(([reason, count]) => `${reason}: ${number(count)}`)
  if (createdRoots > 0) reasons.push(`missing first messages of threads: ${number(createdRoots)}`)
  const counts = `${number(read).padStart(9)} ${number(written).padStart(9)}`
  return `  ${counts}  ${name}${reasons.length > 0 ? ` (${reasons.join(', ')})` : ''}`
}

function renderReceipt(receipt: ImportReceipt): string {
  const { people, channels, renamed, rows } = receipt
  const total = (count: (channel: ChannelReceipt) => number): number =>
    channels.reduce((sum, channel) => sum + count(channel), 0)
  const missing = channels.flatMap((channel) =>
    channel.missingFiles.map((file) => ({ ...file, channel: channel.name })),
  )
  const emoji = Object.entries(receipt.customEmoji)
  const notes = [
    [receipt.linkedFiles, 'files are behind links'],
    [
      receipt.sharedChannels.length,
      'channels are shared with other organisations: only what the export has is imported',
    ],
    [
      receipt.separateConversations,
      'direct conversations become private channels, because their people have one already',
    ],
    [
      total(({ longTexts }) => longTexts),
      'texts are longer than a message: the whole text is attached as a file',
    ],
    [
      total(({ futureTimes }) => futureTimes),
      'messages have a time in the future, and get the time of the message before',
    ],
    ...Object.entries(receipt.notes).map(([note, count]) => [count, note] as const),
  ] as const
  return [
    `People: ${number(people.matched)} are members already, ${number(people.imported)} are imported without an account.`,
    `Channels and conversations: ${number(channels.length)}.`,
    `Messages: ${number(rows['messages'] ?? 0)}, with ${plural(rows['reactions'] ?? 0, 'reaction', 'reactions')} and ${plural(rows['pins'] ?? 0, 'pin', 'pins')}.`,
    ...storageLines(receipt.storage),
    `Files: ${number(total(({ files }) => files))} are imported, ${number(total(({ missingFileCount }) => missingFileCount))} are missing.`,
    '',
    '       read  messages  channel',
    ...listed(channels, renderChannel),
    ...(renamed.length > 0
      ? ['', 'Names that are taken:', ...listed(renamed, ({ from, to }) => `  ${from} becomes ${to}`)]
      : []),
    ...(emoji.length > 0
      ? [
          '',
          'Custom emoji that the workspace does not have:',
          ...listed(emoji, ([name, count]) => `  ${name} (${plural(count, 'reaction', 'reactions')})`),
        ]
      : []),
    ...(missing.length > 0
      ? [
          '',
          'Missing files:',
          ...listed(missing, ({ channel, name, reason }) => `  ${channel}: ${name} (${reason})`),
        ]
      : []),
    ...notes.flatMap(([count, note]) => (count > 0 ? ['', `${number(count)} ${note}.`] : [])),
  ].join('\n')
}

const channelsPerWrite = 1_000

/** Saves the receipt with one channel in each line. The text of 62,000 channels would take 40 MiB of memory as a whole. */
function saveReceipt(path: string, { channels, ...receipt }: ImportReceipt): void {
  const file = openSync(path, 'w', 0o600)
  try {
    appendFileSync(file, `${JSON.stringify(receipt, null, 2).slice(0, -2)},\n  "channels": [`)
    for (let start = 0; start < channels.length; start += channelsPerWrite) {
      const lines = channels
        .slice(start, start + channelsPerWrite)
        .map((channel) => `\n    ${JSON.stringify(channel)}`)
      appendFileSync(file, `${start > 0 ? ',' : ''}${lines.join()}`)
    }
    appendFileSync(file, '\n  ]\n}\n')
  } finally {
    closeSync(file)
  }
}

function readChoicesFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new UsageError(`The choices in ${path} cannot be read: ${(error as Error).message}.`)
  }
}

/** `linnet import slack` and its like: imports an export of another product into a workspace of the running server. */
const createCommand = (product: string, { label, help, options: own, open }: ProductExports): Command =>
  defineCommand({
    name: `import ${product}`,
    group: 'Moving',
    summary: `Import an export of ${label} into a workspace`,
    help: `${help}
People are matched with members by their confirmed address; all others are imported without an
account. Nobody is notified. Start with --dry-run. If the import is interrupted, run it again: it
continues. docs/import.md describes what becomes of messages, files and people.`,
    args: ['<file>'],
    options: {
      'dry-run': { help: 'write nothing, and show what would be imported' },
      'fetch-files': {
        help: 'fetch files behind links of the export',
      },
      workspace: { value: 'ID', help: 'id or name of the workspace, if the server has several' },
      choices: {
        value: 'FILE',
        help: 'whose messages are whose, and which channels are left out: docs/import.md',
      },
      receipt: { value: 'FILE', help: 'save the whole receipt as JSON (default: beside the export)' },
      name: {
        value: 'NAME',
        help: 'name of the exported workspace in the list of imports (default: the name in the export)',
      },
      by: { value: 'PROFILE', help: 'id of the profile of the owner for whom it runs' },
      output: outputOption,
      site: { value: 'URL', help: 'URL of the application, for links between messages (default: --url)' },
      ...own,
      ...archiveProjectOptions,
    },
    async run({ dataDir, args: [file = ''], options }) {
      const { importExport } = await import('../optional/import/importExport.ts')
      const { parseChoices } = await import('../optional/import/importChoices.ts')
      limitHeapGrowth()
      const path = resolve(file)
      const site = options.site === undefined ? null : parseOrigin('--site', options.site)
      const choices = (): ImportChoices =>
        parseChoices(options.choices === undefined ? {} : readChoicesFile(options.choices))
      const { database, connect, project } = await openArchiveProject(dataDir, options)
      const databases = [database]
      const createWriter = async (): Promise<ImportWriter> => {
        const { createProjectServices } = await import('../optional/archive/projectServices.ts')
        const second = await connect()
        databases.push(second)
        return { database: second, connect, services: createProjectServices(project) }
      }
      const createFetcher = async (): Promise<ExportImport['fetchFile']> => {
        const { createFileFetcher } = await import('../optional/import/createFileFetcher.ts')
        return createFileFetcher({ token: process.env['LINNET_SLACK_TOKEN'] || null })
      }
      const format = options.output ?? 'text'
      const progress = createProgress({ stream: process.stderr, format })
      endWithParent()
      const readers: ExportReader[] = []
      try {
        progress.step('Reading the export')
        const reader = await open(path, options)
        readers.push(reader)
        const receipt = await importExport({
          reader,
          database,
          workspaceId: await findWorkspaceId(database, options.workspace),
          site: site ?? project.url,
          directory: dirname(path),
          choices: choices(),
          name: lineOf(options.name, 200),
          importedBy: options.by ?? null,
          writer: options['dry-run'] ? null : await createWriter(),
          fetchFile: options['fetch-files'] ? await createFetcher() : null,
          onStep: (title) => progress.step(title),
          onProgress(messages, totalMessages) {
            if (format !== 'json') return
            process.stderr.write(`${JSON.stringify({ event: 'progress', messages, totalMessages })}\n`)
          },
        })
        progress.done()
        const saved = resolve(options.receipt ?? `${path}.${options['dry-run'] ? 'dry-run' : 'receipt'}.json`)
        saveReceipt(saved, receipt)
        if (format === 'json') process.stdout.write(`${JSON.stringify({ receipt: saved })}\n`)
        else process.stdout.write(`${renderReceipt(receipt)}\n\nThe whole receipt is in ${saved}.\n`)
        return 0
      } catch (error) {
        progress.fail()
        if (error instanceof ExportError || error instanceof ArchiveError)
          throw new UsageError(error.message, { cause: error })
        throw error
      } finally {
        for (const reader of readers) reader.close()
        for (const database of databases) await database.end()
      }
    },
  })

/** The commands that import exports, one for each product. */
export const importCommands: readonly Command[] = Object.entries(products).map(([product, exports]) =>
  createCommand(product, exports),
)
