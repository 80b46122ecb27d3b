import type { NotificationPreferences } from '../../../../../wire/notifications.ts'
import { setNotificationPreferences } from '../../../../data/notifications/preferences.ts'
import { useToast } from '../../../../ui/toast.ts'

/** Saves a change, and shows why it failed. Resolves to whether it was saved. */
export type SavePreferences = (change: Partial<NotificationPreferences>) => Promise<boolean>

export function useSavePreferences(): SavePreferences {
  const showToast = useToast()
  return async (change) => {
    const outcome = await setNotificationPreferences(change)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
    return outcome.ok
  }
}
