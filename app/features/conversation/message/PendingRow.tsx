import { i18n } from '@lingui/core'
import Clock from 'lucide-react/icons/clock'
import { Suspense } from 'react'
import type { DiscardedMessage } from '../../../data/messages/messages.ts'
import { useConnection } from '../../../data/session/useWorkspace.ts'
import type { PendingMessage } from '../../../data/messages/timeline.ts'
import { cx } from '../../../ui/cx.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Avatar } from '../../parts/members/avatar/Avatar.tsx'
import { useDelayed } from '../../../ui/useDelayed.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { CollapsibleBody } from '../../parts/body/CollapsibleBody.tsx'
import { LinkCards } from './extras/LinkCards.tsx'
import { MessageExtras } from './extras/MessageExtras.tsx'
import { MessageHeader } from './lines/MessageHeader.tsx'
import rowStyles from './MessageRow.module.css'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

// Rarely needed: most messages are sent.
const SendError = lazyComponent(() => import('./SendError.tsx'), { preload: true })
const PendingFiles = lazyComponent(() => import('../../parts/files/uploads/PendingFiles.tsx'), {
  preload: true,
})

interface Props {
  message: PendingMessage
  isFirstOfRun: boolean
  /** Receives the text of a discarded message; null where there is no composer. */
  onRestore: ((message: DiscardedMessage) => void) | null
  /** Opens the edit of a message again after it was refused. */
  onEdit?: ((id: string) => void) | undefined
}

/** A message that is not sent yet. It looks sent for 300 ms, then it is gray; later a line states its progress. */
export function PendingRow({ message, isFirstOfRun, onRestore, onEdit }: Props) {
  const { profile } = useMe()
  // Files show their own progress.
  const areFilesUploaded = message.files.every((file) => file.uploaded)
  const isPending = message.state === 'pending' && areFilesUploaded
  const offline = useConnection() === 'offline'
  const isOfflinePending = useDelayed(isPending && offline, 500)
  const isLate = useDelayed(isPending, 3_000)
  return (
    <article
      className={cx(rowStyles.row, isFirstOfRun && rowStyles.head, isPending && rowStyles.pending)}
      tabIndex={-1}
      aria-label={
        message.state === 'failed'
          ? i18n._('{name}, not sent', { name: profile.name })
          : i18n._('{name}, sending', { name: profile.name })
      }
    >
      {isFirstOfRun ? (
        <Avatar id={profile.id} name={profile.name} className={rowStyles.avatar} />
      ) : (
        <div className={rowStyles.aside} />
      )}
      <div className={rowStyles.content}>
        {isFirstOfRun ? (
          <MessageHeader id={profile.id} name={profile.name} at={message.createdAt} tabStop={false} />
        ) : null}
        <MessageExtras position="above" message={null} extras={message.extras} mayReact={false} />
        {message.body ? <CollapsibleBody id={message.id} body={message.body} startsExpanded /> : null}
        <LinkCards body={message.body} />
        <MessageExtras position="below" message={null} extras={message.extras} mayReact={false} />
        <Suspense>
          {message.files.length ? <PendingFiles message={message} onRestore={onRestore} /> : null}
        </Suspense>
        {/* Apart, so that the files stay visible until it is loaded. */}
        <Suspense>
          {message.state === 'failed' ? (
            <SendError message={message} onRestore={onRestore} onEdit={onEdit} />
          ) : null}
        </Suspense>
        {isOfflinePending || isLate ? (
          <p className={rowStyles.waiting} role="status">
            <Icon of={Clock} />
            {isOfflinePending
              ? i18n._('Not sent yet. It’ll be sent when you’re back online.')
              : i18n._('Sending…')}
          </p>
        ) : null}
      </div>
    </article>
  )
}
