import { openDirect } from '../../../data/channels/manageChannels.ts'
import { useToast } from '../../../ui/toast.ts'
import { openToWrite } from './openToWrite.ts'

/** Opens the direct conversation with these people to write in it; with none, the reader's notes. */
export function useOpenDirectMessage(): (people: string[]) => Promise<void> {
  const showToast = useToast()
  return async (people) => {
    const outcome = await openDirect(people)
    if (outcome.ok) openToWrite(outcome.value.channel.id)
    else showToast({ text: outcome.failure.message })
  }
}
