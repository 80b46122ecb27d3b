import type { Uuid } from '../../../../wire/scalars.ts'
import { success } from '../../failures/failures.ts'
import { threadEvent } from '../execution.ts'
import { isString, type MutationKind } from '../mutationKind.ts'
import { coalesceRead, raiseMarker, READ_FIELDS, withReadMarker } from './readMarker.ts'
import type { ReadFields } from './readMarker.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    readThread: ReadFields & { root: Uuid }
  }
}

/** The read marker of a thread, moved forward. */
export const readThreadKind: MutationKind<'readThread'> = {
  fields: { ...READ_FIELDS, root: isString },
  queueKey: ({ root }) => `marker/${root}`,
  coalesce: coalesceRead,
  optimistic: {
    value: 'thread',
    id: ({ root }) => root,
    apply: (thread, { seq }) => withReadMarker(thread, Math.max(thread.last_read_thread_seq, seq)),
  },
  execute: (mutation, { call }, store) => {
    const { root, seq } = mutation
    const loaded = store.get().threads.get(root)
    const marker = loaded && { last: loaded.last_read_thread_seq, version: loaded.read_version }
    return raiseMarker(mutation, marker, async (read_version) => {
      const outcome = await call('mark_thread_read', { root, thread_seq: seq, read_version })
      if (!outcome.ok) return outcome
      const { applied, thread } = outcome.value
      return success({
        applied,
        marker: { last: thread.last_read_thread_seq, version: thread.read_version },
        response: threadEvent({ thread }),
      })
    })
  },
  isReadMarker: true,
}
