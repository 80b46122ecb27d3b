import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { openDirect } from '../../../data/channels/manageChannels.ts'
import { useToast } from '../../../ui/toast.ts'

/** Opens the direct conversation with these people; with none, the reader's notes. */
export function useOpenDirectMessage(): (people: string[]) => Promise<void> {
  const showToast = useToast()
  return async (people) => {
    const outcome = await openDirect(people)
    if (outcome.ok) navigate(pathTo('channel', { channelId: outcome.value.channel.id }))
    else showToast({ text: outcome.failure.message })
  }
}
