import { useLocation } from 'wouter'
import { openDirect } from '../../data/people/workspace.ts'
import { useNotice } from '../../ui/notice.ts'

/** Goes to the one conversation with these people; with nobody it is one's notebook. */
export function useWriteTo(): (people: string[]) => Promise<void> {
  const [, navigate] = useLocation()
  const notice = useNotice()
  return async (people) => {
    const outcome = await openDirect(people)
    if (outcome.ok) navigate(`/c/${outcome.value.channel.id}`)
    else notice({ words: outcome.failure.sentence })
  }
}
