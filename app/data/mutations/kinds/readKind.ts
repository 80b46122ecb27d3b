import { success } from '../../failures/failures.ts'
import type { MutationKind } from '../mutationKind.ts'
import { coalesceRead, raiseMarker, READ_FIELDS } from './readMarker.ts'
import type { ReadFields } from './readMarker.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    read: ReadFields
  }
}

/** The read marker of a channel, moved forward. */
export const readKind: MutationKind<'read'> = {
  fields: READ_FIELDS,
  queueKey: ({ channel }) => `marker/${channel}`,
  coalesce: coalesceRead,
  optimistic: {
    value: 'readMarker',
    id: ({ channel }) => channel,
    apply: (position, { seq }) => Math.max(position, seq),
  },
  execute: (mutation, { call }, store) => {
    const { channel, seq } = mutation
    const loaded = store.get().channels.get(channel)?.entry.state
    const marker = loaded && { last: loaded.last_read_seq, version: loaded.read_version }
    return raiseMarker(mutation, marker, async (read_version) => {
      const outcome = await call('mark_read', { channel, seq, read_version })
      if (!outcome.ok) return outcome
      const { applied, state } = outcome.value
      return success({
        applied,
        marker: { last: state.last_read_seq, version: state.read_version },
        response: { type: 'readStateReceived', response: outcome.value },
      })
    })
  },
  isReadMarker: true,
}
