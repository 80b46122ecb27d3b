import type { Uuid } from '../../../../wire/scalars.ts'
import { threadEvent, toExecutionIfFound } from '../execution.ts'
import { isAnything, isString, type MutationKind } from '../mutationKind.ts'
import { withReadMarker } from './readMarker.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    unreadThread: { root: Uuid; seq: number }
  }
}

/** Replies of a thread that are marked as unread from the `thread_seq` `seq` on. */
export const unreadThreadKind: MutationKind<'unreadThread'> = {
  fields: { root: isString, seq: isAnything },
  queueKey: ({ root }) => `marker/${root}`,
  coalesce: 'replaceUnsent',
  optimistic: {
    value: 'thread',
    id: ({ root }) => root,
    apply: (thread, { seq }) =>
      withReadMarker({ ...thread, follows: true }, Math.min(thread.last_read_thread_seq, seq - 1)),
  },
  execute: async ({ root, seq }, { call }) =>
    toExecutionIfFound(await call('mark_thread_unread', { root, thread_seq: seq }), threadEvent),
}
