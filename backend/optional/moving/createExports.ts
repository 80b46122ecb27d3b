import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { ExportResult, MovingFailure, WorkspaceExport } from '../../../wire/moving.ts'
import type { CommandRunner, Slot } from './createCommandRunner.ts'
import { createRecords } from './createRecords.ts'
import { refusals } from './MovingRefused.ts'

/** An archive may be downloaded for this time (ms). */
const lifetimeMs = 24 * 60 * 60 * 1_000
/** A link to an archive may be opened for this time (ms). The browser sends it without the token of the session. */
const linkLifetimeMs = 15 * 60 * 1_000
const maxLinks = 1_000

const archiveFile = 'export.zip'
/** The name that `linnet export` gives the file until it is complete. */
const partialFile = `${archiveFile}.partial`

/** Who exports which workspace. */
export interface ExportingOwner {
  workspace: string
  profileId: string
  /** The size of the files of the workspace. */
  storedBytes: number
}

export interface Exports {
  find(workspace: string): WorkspaceExport | null
  /** Starts an export, which replaces the earlier one. Throws MovingRefused. */
  start(owner: ExportingOwner): Promise<WorkspaceExport>
  /** Cancels a running export, and removes the archive. Throws MovingRefused. */
  remove(workspace: string, id: string): Promise<void>
  /** Creates a token with which the archive can be downloaded. Throws MovingRefused. */
  createLink(workspace: string, id: string): string
  /** The archive for a token. Throws MovingRefused. */
  openLink(id: string, token: string): Promise<{ path: string; size: number; name: string }>
  /** Removes expired archives. */
  sweep(): Promise<void>
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/**
 * The exports of workspaces, each stored for a day.
 * @param o.dir the folder of all workspaces
 * @param o.now milliseconds since 1970
 */
export async function createExports(o: {
  dir: string
  runner: CommandRunner
  now: () => number
}): Promise<Exports> {
  const { runner, now } = o
  const records = await createRecords<WorkspaceExport>(o.dir, 'export')
  const links = new Map<string, { workspace: string; id: string; expiresAt: number }>()
  /** The number of bytes changes too often to be stored. */
  const bytes = new Map<string, number>()

  const remove = (workspace: string): Promise<void> => records.remove(workspace, archiveFile, partialFile)

  const fail = (
    workspace: string,
    started: WorkspaceExport,
    failure: MovingFailure,
    reason: string,
  ): Promise<void> => records.set(workspace, { ...started, state: 'failed', failure, reason })

  // A server that was killed has not stored the end of its export.
  for (const [workspace, record] of records.all())
    if (record.state === 'running') {
      await remove(workspace)
      await fail(workspace, record, 'interrupted', '')
    }

  const requireDone = (workspace: string, id: string): WorkspaceExport => {
    const record = records.get(workspace)
    if (record?.id !== id || record.state !== 'done') throw refusals.notFound()
    return record
  }

  const run = async (
    slot: Slot,
    { workspace, profileId }: { workspace: string; profileId: string },
    started: WorkspaceExport,
  ): Promise<void> => {
    const path = records.pathOf(workspace, archiveFile)
    let earlier = 0
    let current = 0
    const scope = ['--workspace', workspace, '--scope', 'owner', '--by', profileId]
    const args = ['export', path, ...scope, '--output', 'json']
    const result = await slot.run(args, (event) => {
      if (event.event === 'step') {
        earlier += current
        current = 0
      } else current = event.bytes ?? current
      bytes.set(workspace, earlier + current)
    })
    bytes.delete(workspace)
    // An owner has removed it meanwhile.
    if (records.get(workspace) === null) return remove(workspace)
    if (result.ok) {
      const { size } = await stat(path)
      await records.set(workspace, {
        ...started,
        state: 'done',
        bytes: size,
        result: JSON.parse(result.stdout) as ExportResult,
        expiresAt: new Date(now() + lifetimeMs).toISOString(),
      })
      return
    }
    await remove(workspace)
    if (result.failure !== 'cancelled') await fail(workspace, started, result.failure, result.reason)
  }

  return {
    find(workspace) {
      const record = records.get(workspace)
      return record && { ...record, bytes: bytes.get(workspace) ?? record.bytes }
    },
    async start({ workspace, profileId, storedBytes }) {
      const slot = runner.reserve()
      const started: WorkspaceExport = {
        id: randomUUID(),
        state: 'running',
        startedAt: new Date(now()).toISOString(),
        bytes: 0,
        storedBytes,
        result: null,
        failure: null,
        reason: '',
        expiresAt: null,
      }
      try {
        await remove(workspace)
        await runner.requireSpace(storedBytes)
        await records.set(workspace, started)
      } catch (error) {
        slot.release()
        throw error
      }
      run(slot, { workspace, profileId }, started)
        .catch((error: Error) => fail(workspace, started, 'command_failed', error.message))
        .finally(slot.release)
      return started
    },
    async remove(workspace, id) {
      const record = records.get(workspace)
      if (record?.id !== id) throw refusals.notFound()
      if (record.state === 'running') runner.cancel()
      await remove(workspace)
    },
    createLink(workspace, id) {
      requireDone(workspace, id)
      for (const [hash, { expiresAt }] of links) if (expiresAt < now()) links.delete(hash)
      if (links.size >= maxLinks) throw refusals.busy()
      const token = randomBytes(32).toString('base64url')
      links.set(hashOf(token), { workspace, id, expiresAt: now() + linkLifetimeMs })
      return token
    },
    async openLink(id, token) {
      const link = links.get(hashOf(token))
      if (link?.id !== id || link.expiresAt < now()) throw refusals.notFound()
      const { startedAt } = requireDone(link.workspace, id)
      const path = records.pathOf(link.workspace, archiveFile)
      const { size } = await stat(path)
      return { path, size, name: `linnet-${startedAt.slice(0, 10)}.zip` }
    },
    async sweep() {
      for (const [workspace, { expiresAt }] of records.all())
        if (expiresAt !== null && Date.parse(expiresAt) < now()) await remove(workspace)
    },
  }
}
