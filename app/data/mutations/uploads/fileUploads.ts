import type { Uuid } from '../../../../wire/scalars.ts'
import type { Outcome } from '../../failures/failures.ts'
import { filesOf, hasPendingUploads } from '../mutation.ts'
import type { Mutation, Mutations, OutboxFile } from '../mutation.ts'
import { updateFile, markUploaded } from './outboxFiles.ts'
import type { StepResult } from '../mutationQueues.ts'

/** Why an upload is aborted: its author paused (`paused`) or removed it (`removed`), or this tab no longer sends. */
export type HaltReason = 'paused' | 'removed' | 'stopped'

/** Result of an upload: bytes sent in all, and whether this attempt has sent any. */
export type UploadResult = Outcome & { sent?: number; progressed?: boolean }

export interface UploadControl {
  /** Aborted with a `HaltReason`. */
  signal: AbortSignal
  /** URL of the resumable upload; null: the server has none, so the next attempt starts anew. */
  onUrl: (url: string | null) => void
}

export interface UploadPorts {
  upload: (channel: Uuid, file: OutboxFile, control: UploadControl) => Promise<UploadResult>
  /** Deletes an unfinished upload on the server; best effort. */
  abandon: (url: string) => void
  isLeader: () => boolean
}

export interface FileUploads {
  /** Uploads a file; a failed upload does not reject. */
  upload: (mutation: Mutation, file: OutboxFile) => Promise<StepResult>
  /** Aborts uploads that were canceled, or that another tab continues. */
  haltUnwanted: (mutations: Mutations) => void
  stop: () => void
}

/** The uploads of this page; `change` stores their results and notifies subscribers. */
export function createFileUploads(
  ports: UploadPorts,
  change: (update: (current: Mutations) => Mutations) => Promise<unknown>,
): FileUploads {
  const running = new Map<Uuid, AbortController>()
  /** Uploads that exist on the server, according to the last mutations. */
  let startedUrls = new Map<Uuid, string>()
  let stopped = false

  function halt(file: Uuid, why: HaltReason) {
    running.get(file)?.abort(why)
  }

  return {
    upload: async (mutation, file) => {
      const control = new AbortController()
      const { signal } = control
      running.set(file.id, control)
      const onUrl = (url: string | null) => {
        if (!stopped) void change((all) => updateFile(all, file.id, { url })).catch(() => {})
      }
      const result = await ports
        .upload(mutation.channel, file, { signal, onUrl })
        .finally(() => running.delete(file.id))
      if (stopped) return 'done'
      if (result.ok) {
        await change((all) => markUploaded(all, file.id))
        return 'done'
      }
      if (signal.aborted) {
        const { sent } = result
        if (signal.reason === 'paused' && sent) await change((all) => updateFile(all, file.id, { sent }))
        return 'done'
      }
      const { failure } = result
      if (failure.isRetryable) return result.progressed ? 'progressed' : 'retry'
      await change((all) => updateFile(all, file.id, { failure }))
      return 'done'
    },
    haltUnwanted: (mutations) => {
      const files = new Map(
        mutations
          .filter(hasPendingUploads)
          .flatMap((one) => filesOf(one).map((file) => [file.id, { one, file }])),
      )
      for (const id of running.keys()) {
        const known = files.get(id)
        if (!known) halt(id, 'removed')
        else if (known.file.paused || known.one.state === 'failed') halt(id, 'paused')
        else if (!ports.isLeader()) halt(id, 'stopped')
      }
      const before = startedUrls
      startedUrls = new Map()
      for (const { file } of files.values()) if (file.url) startedUrls.set(file.id, file.url)
      const there = new Set(mutations.flatMap(filesOf).map(({ id }) => id))
      for (const [id, url] of before) {
        // A running upload deletes its own, whose URL may not be stored yet.
        if (!there.has(id) && !running.has(id) && ports.isLeader()) ports.abandon(url)
      }
    },
    stop: () => {
      stopped = true
      for (const id of running.keys()) halt(id, 'stopped')
    },
  }
}
