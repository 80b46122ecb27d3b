import { toExecutionIfFound } from '../execution.ts'
import { isAnything, type MutationKind } from '../mutationKind.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    unread: { seq: number }
  }
}

/** Messages of a channel that are marked as unread from `seq` on. */
export const unreadKind: MutationKind<'unread'> = {
  fields: { seq: isAnything },
  queueKey: ({ channel }) => `marker/${channel}`,
  coalesce: 'replaceUnsent',
  optimistic: {
    value: 'readMarker',
    id: ({ channel }) => channel,
    apply: (position, { seq }) => Math.min(position, seq - 1),
  },
  execute: async ({ channel, seq }, { call }) =>
    toExecutionIfFound(await call('mark_unread', { channel, seq }), (response) => ({
      type: 'readStateReceived',
      response,
    })),
}
