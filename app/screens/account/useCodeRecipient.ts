import { useLocation, useSearch } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'

/** Where a code went. */
export type CodeRecipient = { email: string } | { phone: string }

/**
 * Where a code went that is waited for, kept with the entry of the browser's history: whoever looks at their mail on the
 * same phone finds the page thrown away and loaded anew, and the code's field must stand there still. Back leads to
 * where it was asked for.
 */
export function useCodeRecipient(): [CodeRecipient | null, (to: CodeRecipient) => void, () => void] {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const state = useHistoryState<{ sent?: CodeRecipient } | null>()
  const address = search ? `${path}?${search}` : path
  return [
    state?.sent ?? null,
    (to) => navigate(address, { state: { sent: to } }),
    () => navigate(address, { replace: true }),
  ]
}
