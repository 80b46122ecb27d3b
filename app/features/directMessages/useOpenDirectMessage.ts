import { useLocation } from 'wouter'
import { openDirect } from '../../data/channels/manageChannels.ts'
import { useToast } from '../../ui/toast.ts'

/** Opens the direct conversation with these people; with none, the reader's notes. */
export function useOpenDirectMessage(): (people: string[]) => Promise<void> {
  const [, navigate] = useLocation()
  const showToast = useToast()
  return async (people) => {
    const outcome = await openDirect(people)
    if (outcome.ok) navigate(`/c/${outcome.value.channel.id}`)
    else showToast({ text: outcome.failure.message })
  }
}
