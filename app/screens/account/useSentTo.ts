import { useLocation, useSearch } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'

/** Where a code went. */
export type SentTo = { email: string } | { phone: string }

/**
 * Where a code went that is waited for, kept with the entry of the browser's history: whoever looks at their mail on the
 * same phone finds the page thrown away and loaded anew, and the code's field must stand there still. Back leads to
 * where it was asked for.
 */
export function useSentTo(): [SentTo | null, (to: SentTo) => void, () => void] {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const state = useHistoryState<{ sent?: SentTo } | null>()
  const here = search ? `${path}?${search}` : path
  return [
    state?.sent ?? null,
    (to) => navigate(here, { state: { sent: to } }),
    () => navigate(here, { replace: true }),
  ]
}
