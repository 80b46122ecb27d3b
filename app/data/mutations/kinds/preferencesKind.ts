import type { Preferences } from '../../store/ownRows.ts'
import { executeSave } from '../execution.ts'
import { mergeChange } from '../mutation.ts'
import { isObject, type MutationKind } from '../mutationKind.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    preferences: { change: Partial<Preferences> }
  }
}

/** The user's preferences for a channel. */
export const preferencesKind: MutationKind<'preferences'> = {
  fields: { change: isObject },
  // In order: a conversation is moved into a section that was created before.
  queueKey: () => 'sidebar',
  /** Merged into an unsent change of the same channel, unless a section was changed in between. */
  coalesce: (mutations, { channel, change }, append) => {
    const last = mutations.findLast(
      (mutation) =>
        mutation.kind === 'section' || (mutation.kind === 'preferences' && mutation.channel === channel),
    )
    if (last?.kind !== 'preferences' || last.maybeSent) return append(mutations)
    return mergeChange(mutations, last, change)
  },
  optimistic: {
    value: 'preferences',
    id: ({ channel }) => channel,
    apply: (before, { change }) => ({ ...before, ...change }),
  },
  execute: executeSave,
}
