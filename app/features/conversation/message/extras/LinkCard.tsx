import { i18n } from '@lingui/core'
import { useReferencedMessage } from '../../../../data/messages/referencedMessages.ts'
import { writtenAt } from '../../../../data/messages/writtenAt.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { useProfile } from '../../../../data/people/people.ts'
import type { PageParams } from '../../../../paths.ts'
import { formatDayAndTime } from '../../../../ui/dates.ts'
import { Link } from '../../../../ui/Link.tsx'
import type { CardLink } from '../../../parts/body/cardLinks.ts'
import { placeText, unreadableText } from '../../../parts/channels/placeText.ts'
import { useChannelPlace } from '../../../parts/channels/useChannelPlace.ts'
import { Attachments } from '../../../parts/files/attachments/Attachments.tsx'
import { ReferencedMessage } from './ReferencedMessage.tsx'
import styles from './ReferencedMessage.module.css'

/**
 * What an address of this server leads to, with the reader's own rights. Of another workspace, only its place. Of what the
 * reader may not see, nothing where the text has a note of its own.
 */
export default function LinkCard({ page, path, isInText }: CardLink) {
  const { channelId } = page.params
  const place = useChannelPlace(channelId)
  if (place === undefined) return <div className={styles.card} aria-busy="true" />
  if (place === null) return isInText ? null : <Unreadable kind={page.name} />
  if (place.elsewhere !== null)
    return (
      <div className={styles.card}>
        <p>
          <Link href={path}>{placeText(page.name, place.title)}</Link>
        </p>
        <p className={styles.note}>
          {i18n._('Opens the workspace {workspace}', { workspace: isolateBidi(place.elsewhere) })}
        </p>
      </div>
    )
  switch (page.name) {
    case 'message':
      return <ReferencedMessage kind="message" id={page.params.messageId} channelId={channelId} />
    case 'thread':
      return <ReferencedMessage kind="thread" id={page.params.rootId} channelId={channelId} />
    case 'file':
      return <FileCard {...page.params} path={path} place={place.title} />
  }
}

function Unreadable({ kind }: { kind: CardLink['page']['name'] }) {
  return (
    <div className={styles.card}>
      <p className={styles.note}>{unreadableText(kind)}</p>
    </div>
  )
}

interface FileCardProps extends PageParams<'file'> {
  path: string
  place: string
}

/** A file as its message shows it, with who sent it. */
function FileCard({ channelId, messageId, fileId, path, place }: FileCardProps) {
  const message = useReferencedMessage(messageId)
  const author = useProfile(message?.author_id ?? '')
  if (message === undefined) return <div className={styles.card} aria-busy="true" />
  const file = message?.attachments.find(({ id }) => id === fileId)
  if (message?.channel_id !== channelId || !file) return <Unreadable kind="file" />
  return (
    <div className={styles.card}>
      <p className={styles.head}>
        <span className={styles.name}>{isolateBidi(author?.name ?? i18n._('Former member'))}</span>
        <Link href={path} className={styles.link}>
          {`${place} · ${formatDayAndTime(writtenAt(message))}`}
        </Link>
      </p>
      <Attachments message={{ ...message, attachments: [file] }} />
    </div>
  )
}
