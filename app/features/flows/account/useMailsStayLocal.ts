import { signInMethods } from '../../../data/account/signInMethods.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'

/**
 * Whether emails go to the server's mailbox because no mail server is set up. False until it is known: the settings
 * are read with the first page, before any email is requested.
 */
export function useMailsStayLocal(): boolean {
  return useQuery(signInMethods).value?.hasLocalMailbox === true
}
