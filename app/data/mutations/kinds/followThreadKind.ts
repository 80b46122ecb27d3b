import type { Uuid } from '../../../../wire/scalars.ts'
import { threadEvent, toExecutionIfFound } from '../execution.ts'
import { isAnything, isString, type MutationKind } from '../mutationKind.ts'
import { withReadMarker } from './readMarker.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    followThread: { root: Uuid; on: boolean }
  }
}

/** A thread that the user follows, or no longer follows. */
export const followThreadKind: MutationKind<'followThread'> = {
  fields: { root: isString, on: isAnything },
  queueKey: ({ root }) => `follow/${root}`,
  coalesce: 'replaceUnsent',
  optimistic: {
    value: 'thread',
    id: ({ root }) => root,
    apply: (thread, { on }) => {
      // Following a thread marks its present replies as read.
      const from = on && !thread.follows ? thread.last_thread_seq : thread.last_read_thread_seq
      const result = withReadMarker({ ...thread, follows: on }, from)
      return on ? result : { ...result, counts: { unread: 0, mentions: 0 } }
    },
  },
  execute: async ({ root, on }, { call }) =>
    toExecutionIfFound(await call('follow_thread', { root, on }), threadEvent),
}
