import { navigate, useEntryState, type CodeRecipient } from '../../../historyState.ts'
import { usePageAddress } from '../../../ui/pageAddress.ts'

/**
 * The recipient of the pending code, stored in the entry of the browser's history: if the reader opens their mail on
 * the same phone, the page may be reloaded and has to show the code field again. Back leads to the previous form.
 */
export function useCodeRecipient(): [CodeRecipient | null, (to: CodeRecipient) => void, () => void] {
  const address = usePageAddress()
  return [
    useEntryState().codeRecipient ?? null,
    (to) => navigate(address, { state: { codeRecipient: to } }),
    () => navigate(address, { replace: true }),
  ]
}
