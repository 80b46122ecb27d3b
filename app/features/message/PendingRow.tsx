import { i18n } from '@lingui/core'
import Clock from 'lucide-react/icons/clock'
import { Suspense } from 'react'
import type { TakenBack } from '../../data/messages/messages.ts'
import { useConnection } from '../../data/session/session.ts'
import type { PendingMessage } from '../../data/messages/timeline.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Avatar } from '../people/avatar/Avatar.tsx'
import { useDelayed } from '../../ui/useDelayed.ts'
import { useMe } from '../people/MeContext.ts'
import { Body } from './body/Body.tsx'
import { Author } from './lines/Author.tsx'
import row from './MessageRow.module.css'
import { lazily } from '../../ui/lazily.tsx'

// Seldom needed: words mostly arrive.
const Refused = lazily(() => import('./Refused.tsx'))
const PendingFiles = lazily(() => import('../files/sending/PendingFiles.tsx'))

interface Props {
  message: PendingMessage
  head: boolean
  /** What was written in a discarded message, to be put back where it was typed; null where nothing is typed. */
  onWords: ((words: TakenBack) => void) | null
  /** Rewrites a message: a change of it was refused. */
  onEdit?: ((id: string) => void) | undefined
}

/** A message that is not sent yet. It looks sent for a moment; then a line states what it waits for. */
export function PendingRow({ message, head, onWords, onEdit }: Props) {
  const { profile } = useMe()
  // Files say themselves how far they are.
  const words = message.files.every((file) => file.uploaded)
  const pending = message.state === 'pending' && words
  const offline = useConnection() === 'offline'
  const unsent = useDelayed(pending && offline, 500)
  const late = useDelayed(pending, 3_000)
  return (
    <article
      className={cx(row.row, head && row.head)}
      tabIndex={-1}
      aria-label={
        message.state === 'failed'
          ? i18n._('{name}, not sent', { name: profile.name })
          : i18n._('{name}, sending', { name: profile.name })
      }
    >
      {head ? (
        <Avatar id={profile.id} name={profile.name} className={row.face} />
      ) : (
        <div className={row.aside} />
      )}
      <div className={row.content}>
        {head ? <Author id={profile.id} name={profile.name} at={message.createdAt} tabStop={false} /> : null}
        {message.body ? <Body body={message.body} /> : null}
        <Suspense>
          {message.files.length ? <PendingFiles message={message} onWords={onWords} /> : null}
          {message.state === 'failed' ? (
            <Refused message={message} onWords={onWords} onEdit={onEdit} />
          ) : null}
        </Suspense>
        {unsent || late ? (
          <p className={row.waiting} role="status">
            <Icon of={Clock} />
            {unsent ? i18n._('Not sent yet. It’ll be sent when you’re back online.') : i18n._('Sending…')}
          </p>
        ) : null}
      </div>
    </article>
  )
}
