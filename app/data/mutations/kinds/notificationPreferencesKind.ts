import type { NotificationPreferences } from '../../../../wire/notifications.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { executeSave } from '../execution.ts'
import { mergeChange } from '../mutation.ts'
import { isObject, isString, type MutationKind } from '../mutationKind.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    notificationPreferences: { workspace: Uuid; change: Partial<NotificationPreferences> }
  }
}

/** The user's notification preferences of a workspace; the channel of the mutation is empty. */
export const notificationPreferencesKind: MutationKind<'notificationPreferences'> = {
  fields: { workspace: isString, change: isObject },
  queueKey: ({ workspace }) => `notifications/${workspace}`,
  /** Merged into an unsent change of the same workspace. */
  coalesce: (mutations, { workspace, change }, append) => {
    const last = mutations.findLast(
      (mutation) => mutation.kind === 'notificationPreferences' && mutation.workspace === workspace,
    )
    if (last?.kind !== 'notificationPreferences' || last.maybeSent) return append(mutations)
    return mergeChange(mutations, last, change)
  },
  optimistic: {
    value: 'notificationPreferences',
    id: ({ workspace }) => workspace,
    apply: (before, { change }) => ({ ...before, ...change }),
  },
  execute: executeSave,
}
