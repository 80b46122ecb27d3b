import type { Profile } from '../../../../wire/people.ts'
import { useStatus } from '../../../data/people/people.ts'

/** Shown for a status without an emoji. */
const DEFAULT_EMOJI = '💬'

/** The emoji of a status beside a name, with its text as tooltip and accessible name; nothing without a status. */
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

/** Emoji and text of a status. */
export function statusText(status: Pick<Profile, 'status_emoji' | 'status_text'>): string {
  return [status.status_emoji, status.status_text].filter(Boolean).join(' ')
}
