import { useLocation } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import { usePageAddress } from '../../ui/pageAddress.ts'

/** Where a code was sent. */
export type CodeRecipient = { email: string } | { phone: string }

/**
 * The recipient of the pending code, stored in the entry of the browser's history: if the reader opens their mail on
 * the same phone, the page may be reloaded and has to show the code field again. Back leads to the previous form.
 */
export function useCodeRecipient(): [CodeRecipient | null, (to: CodeRecipient) => void, () => void] {
  const [, navigate] = useLocation()
  const address = usePageAddress()
  const state = useHistoryState<{ sent?: CodeRecipient } | null>()
  return [
    state?.sent ?? null,
    (to) => navigate(address, { state: { sent: to } }),
    () => navigate(address, { replace: true }),
  ]
}
