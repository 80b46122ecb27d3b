import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ImportProduct, MovingChoices, MovingFailure, WorkspaceImport } from '../../../wire/moving.ts'
import type { CommandRunner, Slot } from './createCommandRunner.ts'
import { createRecords } from './createRecords.ts'
import type { PendingUpload } from './createUploads.ts'
import { refusals } from './MovingRefused.ts'

/** The file and the state of an import are stored for this time (ms) after its last step. */
const lifetimeMs = 7 * 24 * 60 * 60 * 1_000

const uploadedFile = 'import.zip'
const choicesFile = 'choices.json'
/** Files with an `ImportReport`. */
const reportFiles = { preview: 'preview.json', receipt: 'receipt.json' } as const

export interface Imports {
  find(workspace: string): WorkspaceImport | null
  isRunning(workspace: string): boolean
  /** Where an upload of the workspace is stored. */
  prepareFile(workspace: string): Promise<string>
  /** Begins with an uploaded file. */
  begin(upload: PendingUpload): Promise<void>
  /** Makes the preview. Throws MovingRefused. */
  preview(
    workspace: string,
    id: string,
    o: { product: string; options: Record<string, string> },
  ): Promise<WorkspaceImport>
  /** Starts the import, or continues one that was interrupted, with the earlier choices unless others are given. Throws MovingRefused. */
  start(
    workspace: string,
    id: string,
    o: { profileId: string; choices: MovingChoices | null; name: string; fetchesFiles: boolean },
  ): Promise<WorkspaceImport>
  /** Interrupts what runs. Throws MovingRefused. */
  cancel(workspace: string, id: string): WorkspaceImport
  /** Removes the file and the state. Throws MovingRefused while the import runs. */
  remove(workspace: string, id?: string): Promise<void>
  /** The path of a report. Throws MovingRefused. */
  reportOf(workspace: string, id: string, report: keyof typeof reportFiles): string
  sweep(): Promise<void>
}

const isRunning = ({ state }: WorkspaceImport): boolean => state === 'checking' || state === 'running'

/**
 * The imports of other products: each workspace has at most one at a time.
 * @param o.dir the folder of all workspaces
 * @param o.now milliseconds since 1970
 */
export async function createImports(o: {
  dir: string
  runner: CommandRunner
  products: readonly ImportProduct[]
  now: () => number
}): Promise<Imports> {
  const { runner, now } = o
  const records = await createRecords<WorkspaceImport>(o.dir, 'import')
  /** Changes too often to be stored. */
  const progress = new Map<string, Pick<WorkspaceImport, 'messages' | 'totalMessages'>>()

  const store = async (workspace: string, record: WorkspaceImport): Promise<WorkspaceImport> => {
    const stored = { ...record, expiresAt: new Date(now() + lifetimeMs).toISOString() }
    await records.set(workspace, stored)
    return stored
  }
  const fail = (
    workspace: string,
    record: WorkspaceImport,
    failure: MovingFailure,
    reason: string,
  ): Promise<WorkspaceImport> => store(workspace, { ...record, state: 'failed', failure, reason })
  /** An import can continue. A preview is made again. */
  const interrupt = (workspace: string, record: WorkspaceImport): Promise<WorkspaceImport> =>
    record.startedAt === null
      ? store(workspace, { ...record, state: 'uploaded' })
      : fail(workspace, record, 'interrupted', '')
  const remove = (workspace: string): Promise<void> =>
    records.remove(workspace, uploadedFile, choicesFile, ...Object.values(reportFiles))

  // A server that was killed has not stored the end of its command.
  for (const [workspace, record] of records.all()) if (isRunning(record)) await interrupt(workspace, record)

  const find = (workspace: string, id: string): WorkspaceImport => {
    const record = records.get(workspace)
    if (record?.id !== id) throw refusals.notFound()
    return record
  }

  const run = async (slot: Slot, workspace: string, record: WorkspaceImport): Promise<void> => {
    const isPreview = record.state === 'checking'
    const pathOf = (file: string): string => records.pathOf(workspace, file)
    const args = [
      'import',
      record.product!,
      pathOf(uploadedFile),
      '--workspace',
      workspace,
      '--output',
      'json',
      '--receipt',
      pathOf(isPreview ? reportFiles.preview : reportFiles.receipt),
      ...Object.entries(record.options).flatMap(([name, value]) => [`--${name}`, value]),
      ...(isPreview ? ['--dry-run'] : ['--choices', pathOf(choicesFile), '--by', record.startedBy!]),
      // A value that begins with a hyphen would be an option of its own.
      ...(!isPreview && record.name ? [`--name=${record.name}`] : []),
      // The preview counts these files; owners decide afterwards whether they are fetched.
      ...(isPreview || record.fetchesFiles ? ['--fetch-files'] : []),
    ]
    const result = await slot.run(args, ({ event, messages, totalMessages }) => {
      if (event === 'progress' && messages !== undefined)
        progress.set(workspace, { messages, totalMessages: totalMessages ?? null })
    })
    const { messages, totalMessages } = progress.get(workspace) ?? record
    progress.delete(workspace)
    const ended = { ...record, messages, totalMessages }
    if (result.ok) {
      await store(workspace, { ...ended, state: isPreview ? 'ready' : 'done' })
      // The messages are in the workspace now.
      if (!isPreview) await records.removeFiles(workspace, uploadedFile, choicesFile)
      return
    }
    if (result.failure === 'cancelled' || result.failure === 'interrupted') {
      await interrupt(workspace, ended)
      return
    }
    // A sentence about the file names it as the owner does.
    const reason = result.reason.replaceAll(pathOf(uploadedFile), record.fileName)
    await fail(workspace, ended, result.failure, reason)
  }

  /** Runs the command of a step that `prepare` returns. */
  const begin = async (
    workspace: string,
    prepare: () => Promise<WorkspaceImport>,
  ): Promise<WorkspaceImport> => {
    const slot = runner.reserve()
    let record: WorkspaceImport
    try {
      await runner.requireSpace(0)
      record = await store(workspace, { ...(await prepare()), failure: null, reason: '' })
    } catch (error) {
      slot.release()
      throw error
    }
    run(slot, workspace, record)
      .catch((error: Error) => fail(workspace, record, 'command_failed', error.message))
      .finally(slot.release)
    return record
  }

  return {
    find(workspace) {
      const record = records.get(workspace)
      return record && { ...record, ...progress.get(workspace) }
    },
    isRunning(workspace) {
      const record = records.get(workspace)
      return record !== null && isRunning(record)
    },
    async prepareFile(workspace) {
      const path = records.pathOf(workspace, uploadedFile)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      return path
    },
    async begin({ id, workspace, fileName, size }) {
      await store(workspace, {
        id,
        fileName,
        size,
        uploadedBytes: size,
        state: 'uploaded',
        product: null,
        options: {},
        fetchesFiles: false,
        name: '',
        startedBy: null,
        startedAt: null,
        messages: 0,
        totalMessages: null,
        failure: null,
        reason: '',
        expiresAt: '',
      })
    },
    preview(workspace, id, { product, options }) {
      const record = find(workspace, id)
      if (isRunning(record)) throw refusals.busy()
      if (record.startedAt !== null) throw refusals.invalid('The import has begun.')
      const found = o.products.find((one) => one.product === product)
      if (!found) throw refusals.invalid('There is no such product.')
      for (const [name, value] of Object.entries(options))
        if (!found.options.find((one) => one.name === name)?.choices.includes(value))
          throw refusals.invalid(`${label(name)} is no option of ${found.label}, or has no such value.`)
      return begin(workspace, async () => ({
        ...record,
        state: 'checking',
        product,
        options,
        messages: 0,
        totalMessages: null,
      }))
    },
    start(workspace, id, { profileId, choices, name, fetchesFiles }) {
      const record = find(workspace, id)
      const isContinued = record.state === 'failed' && record.startedAt !== null
      if (isRunning(record)) throw refusals.busy()
      if (record.state !== 'ready' && !isContinued) throw refusals.invalid('There is no preview yet.')
      return begin(workspace, async () => {
        if (choices !== null || record.startedAt === null)
          await writeFile(records.pathOf(workspace, choicesFile), JSON.stringify(choices ?? {}), {
            mode: 0o600,
          })
        return {
          ...record,
          state: 'running',
          fetchesFiles: isContinued ? record.fetchesFiles : fetchesFiles,
          name: isContinued ? record.name : name,
          startedBy: profileId,
          startedAt: record.startedAt ?? new Date(now()).toISOString(),
          messages: 0,
          totalMessages: null,
        }
      })
    },
    cancel(workspace, id) {
      const record = find(workspace, id)
      if (!isRunning(record)) throw refusals.invalid('Nothing runs.')
      runner.cancel()
      return record
    },
    async remove(workspace, id) {
      const record = id === undefined ? records.get(workspace) : find(workspace, id)
      if (record === null) return
      if (isRunning(record)) throw refusals.busy()
      await remove(workspace)
    },
    reportOf(workspace, id, report) {
      const { state, startedAt } = find(workspace, id)
      const exists = report === 'receipt' ? state === 'done' : state === 'ready' || startedAt !== null
      if (!exists) throw refusals.notFound()
      return records.pathOf(workspace, reportFiles[report])
    },
    async sweep() {
      for (const [workspace, record] of records.all())
        if (!isRunning(record) && Date.parse(record.expiresAt) < now()) await remove(workspace)
    },
  }
}

const label = (name: string): string => JSON.stringify(name.slice(0, 40))
