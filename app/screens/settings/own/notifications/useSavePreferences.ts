import { startTransition, useOptimistic } from 'react'
import type { NotificationPreferences } from '../../../../../wire/notifications.ts'
import { setNotificationPreferences } from '../../../../data/notifications/preferences.ts'
import { useToast } from '../../../../ui/toast.ts'

/** Saves a change, and shows why it failed. Resolves to whether it was saved. */
export type SavePreferences = (change: Partial<NotificationPreferences>) => Promise<boolean>

/**
 * The preferences with the changes that the outbox is storing, and the function that saves one. Without these changes a second
 * click would be computed from the preferences before the first one, and undo it.
 */
export function useSavePreferences(
  preferences: NotificationPreferences,
): [NotificationPreferences, SavePreferences] {
  const showToast = useToast()
  const [shown, addChange] = useOptimistic(
    preferences,
    (before, change: Partial<NotificationPreferences>) => ({ ...before, ...change }),
  )
  const save: SavePreferences = (change) =>
    new Promise((resolve) => {
      startTransition(async () => {
        addChange(change)
        const outcome = await setNotificationPreferences(change)
        if (!outcome.ok) showToast({ text: outcome.failure.message })
        resolve(outcome.ok)
      })
    })
  return [shown, save]
}
