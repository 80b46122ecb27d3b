import { fetchSignInMethods } from '../../data/account/signInMethods.ts'
import { useAsync } from '../../ui/useAsync.ts'

/**
 * Whether emails go to the server's mailbox because no mail server is set up. False until it is known: the settings
 * are read with the first page, before any email is requested.
 */
export function useMailsStayLocal(): boolean {
  const outcome = useAsync(fetchSignInMethods)
  return outcome?.ok === true && outcome.value.hasLocalMailbox
}
