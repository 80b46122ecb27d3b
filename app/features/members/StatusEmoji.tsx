import type { Profile } from '../../../wire/linnet.ts'
import { useStatus } from '../../data/people/people.ts'

/** What stands where someone chose words without an emoji. */
const DEFAULT_EMOJI = '💬'

/** The emoji of someone's status beside their name, its words for those who hover or listen; nothing without one. */
export function StatusEmoji({ id }: { id: string }) {
  const status = useStatus(id)
  if (!status) return null
  const { status_emoji, status_text } = status
  const label = status_text ?? status_emoji ?? ''
  return (
    <span role="img" aria-label={label} title={label}>
      {status_emoji ?? DEFAULT_EMOJI}
    </span>
  )
}

/** Emoji and words of a status in one line. */
export function statusText(status: Pick<Profile, 'status_emoji' | 'status_text'>): string {
  return [status.status_emoji, status.status_text].filter(Boolean).join(' ')
}
