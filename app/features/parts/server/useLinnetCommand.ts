import { signInMethods } from '../../../data/account/signInMethods.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'

/** The command of the server, as it is typed on its machine: `linnet`, or `bin/linnet` in a checkout. */
export function useLinnetCommand(): string {
  return useQuery(signInMethods).value?.linnet ?? 'linnet'
}
