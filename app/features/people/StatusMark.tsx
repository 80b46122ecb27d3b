import type { Profile } from '../../../wire/linnet.ts'
import { useStatus } from '../../data/people/people.ts'

/** What stands where someone chose words without an emoji. */
const PLAIN = '💬'

/** The emoji of someone's status beside their name, its words for those who hover or listen; nothing without one. */
export function StatusMark({ id }: { id: string }) {
  const status = useStatus(id)
  if (!status) return null
  const { status_emoji, status_text } = status
  const words = status_text ?? status_emoji ?? ''
  return (
    <span role="img" aria-label={words} title={words}>
      {status_emoji ?? PLAIN}
    </span>
  )
}

/** Emoji and words of a status in one line. */
export function statusLine(status: Pick<Profile, 'status_emoji' | 'status_text'>): string {
  return [status.status_emoji, status.status_text].filter(Boolean).join(' ')
}
