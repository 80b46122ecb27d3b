import type { Uuid } from '../../../../wire/linnet.ts'
import type { Outcome } from '../../failures/failures.ts'
import { awaitsFiles } from '../mutation.ts'
import type { Deed, OutboxFile, SendDeed } from '../mutation.ts'
import { changedFile, uploadedFile } from './outboxFiles.ts'
import type { Result } from '../mutationQueues.ts'

/** Why an upload stops before its end: its author paused it or took it out, or this page no longer sends. */
export type Halt = 'paused' | 'gone' | 'stopped'

/** How far an upload came: `sent` bytes in all, and whether any of them went this time. */
export type Uploaded = Outcome & { sent?: number; moved?: boolean }

export interface Uploading {
  /** Aborted with a `Halt` as its reason. */
  signal: AbortSignal
  /** Where the server goes on with it; null: it goes on with nothing, and the next try starts anew. */
  at: (url: string | null) => void
}

export interface UploadPorts {
  upload: (channel: Uuid, file: OutboxFile, how: Uploading) => Promise<Uploaded>
  /** Has the server forget bytes that nobody will finish; best effort. */
  abandon: (url: string) => void
  leads: () => boolean
}

export interface Bringing {
  /** Brings the bytes of a file; never rejects for what becomes of the upload. */
  bring: (deed: Deed, file: OutboxFile) => Promise<Result>
  /** Lets go of uploads that nobody wants any more, or that another page does. */
  compare: (deeds: readonly Deed[]) => void
  stop: () => void
}

/** The uploads of this page; `change` keeps what becomes of them, and tells. */
export function createBringing(
  ports: UploadPorts,
  change: (how: (kept: readonly Deed[]) => readonly Deed[]) => Promise<unknown>,
): Bringing {
  const going = new Map<Uuid, AbortController>()
  /** Uploads that stand at the server, as the deeds last said. */
  let begun = new Map<Uuid, string>()
  let stopped = false

  function halt(file: Uuid, why: Halt) {
    going.get(file)?.abort(why)
  }

  return {
    bring: async (deed, file) => {
      const control = new AbortController()
      const { signal } = control
      going.set(file.id, control)
      const at = (url: string | null) => {
        if (!stopped) void change((all) => changedFile(all, file.id, { url })).catch(() => {})
      }
      const uploaded = await ports
        .upload(deed.channel, file, { signal, at })
        .finally(() => going.delete(file.id))
      if (stopped) return 'done'
      if (uploaded.ok) {
        await change((all) => uploadedFile(all, file.id))
        return 'done'
      }
      if (signal.aborted) {
        const { sent } = uploaded
        if (signal.reason === 'paused' && sent) await change((all) => changedFile(all, file.id, { sent }))
        return 'done'
      }
      const { failure } = uploaded
      if (failure.again) return uploaded.moved ? 'moved' : 'later'
      await change((all) => changedFile(all, file.id, { failure }))
      return 'done'
    },
    compare: (deeds) => {
      const carriers = deeds.filter((one): one is SendDeed => awaitsFiles(one))
      const files = new Map(carriers.flatMap((one) => one.files.map((file) => [file.id, { one, file }])))
      for (const id of going.keys()) {
        const known = files.get(id)
        if (!known) halt(id, 'gone')
        else if (known.file.paused || known.one.state === 'failed') halt(id, 'paused')
        else if (!ports.leads()) halt(id, 'stopped')
      }
      const before = begun
      begun = new Map()
      for (const { file } of files.values()) if (file.url) begun.set(file.id, file.url)
      const there = new Set(
        deeds.flatMap((one) => (one.kind === 'send' ? one.files : [])).map(({ id }) => id),
      )
      for (const [id, url] of before) {
        // What runs ends its own upload, which may be one that no deed knows yet.
        if (!there.has(id) && !going.has(id) && ports.leads()) ports.abandon(url)
      }
    },
    stop: () => {
      stopped = true
      for (const id of going.keys()) halt(id, 'stopped')
    },
  }
}
