import type { Uuid } from '../../../../wire/scalars.ts'
import type { SectionChange } from '../../store/ownRows.ts'
import { executeSave } from '../execution.ts'
import { mergeChange } from '../mutation.ts'
import { isObject, isString, type MutationKind } from '../mutationKind.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    section: { workspace: Uuid; section: Uuid; change: Partial<SectionChange> }
  }
}

/** A section of the user's sidebar that is created, changed or deleted; its channel is empty. */
export const sectionKind: MutationKind<'section'> = {
  fields: { workspace: isString, section: isString, change: isObject },
  // In order: a conversation is moved into a section that was created before.
  queueKey: () => 'sidebar',
  /** Merged into an unsent change of the same section; a deletion is never merged. */
  coalesce: (mutations, { section, change }, append) => {
    const last = mutations.findLast((mutation) => mutation.kind === 'section' && mutation.section === section)
    if (last?.kind !== 'section' || last.maybeSent || last.change.deleted || change.deleted)
      return append(mutations)
    return mergeChange(mutations, last, change)
  },
  optimistic: {
    value: 'section',
    id: ({ section }) => section,
    apply: (before, { change }) => ({ ...before, ...change }),
  },
  execute: executeSave,
}
