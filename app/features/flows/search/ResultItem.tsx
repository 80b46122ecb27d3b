import { i18n } from '@lingui/core'
import MessagesSquare from 'lucide-react/icons/messages-square'
import Paperclip from 'lucide-react/icons/paperclip'
import { Fragment, memo, useId } from 'react'
import { Link } from '../../../ui/Link.tsx'
import { messageAddress } from '../../../paths.ts'
import type { AdjacentMessage, Message, SearchHit } from '../../../../wire/messages.ts'
import { writtenAt } from '../../../data/messages/writtenAt.ts'
import { useProfile } from '../../../data/people/people.ts'
import { useAdjacentMessage, useFoundMessage } from '../../../data/search/useSearch.ts'
import { formatDateTime, formatDayAndTime } from '../../../ui/dates.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Avatar } from '../../parts/members/avatar/Avatar.tsx'
import { Body } from '../../parts/body/Body.tsx'
import { MessageContext } from '../../parts/body/MessageContext.ts'
import { adjacentText } from './adjacentText.ts'
import type { Matcher } from './findMatches.ts'
import { highlightBlocks, highlightText } from './highlightBlocks.tsx'
import styles from './ResultList.module.css'

/** Names of files that are shown with a message. */
const MAX_FILES = 3

interface Props {
  hit: SearchHit
  /** Whether the message before or after it is another result, which the list shows anyway. */
  hidesBefore: boolean
  hidesAfter: boolean
  findMatches: Matcher
  onOpen: (hit: SearchHit) => void
}

/**
 * A found message: who, when, and an excerpt with the words of the search, between the messages before and after it. A press
 * opens it in its conversation.
 */
export const ResultItem = memo(function ResultItem(props: Props) {
  const message = useFoundMessage(props.hit.message)
  return message ? <Found {...props} message={message} /> : null
})

function Found({ hit, hidesBefore, hidesAfter, message, findMatches, onOpen }: Props & { message: Message }) {
  const excerptId = useId()
  const author = useProfile(message.author_id)
  const name = author?.name ?? i18n._('Former member')
  const at = writtenAt(message)
  const files = <Files hit={hit} message={message} findMatches={findMatches} />
  // A long text, whose beginning is shown, would hide the passage that was found.
  const filesFirst = hit.file?.excerpt !== undefined && findMatches(message.body).length === 0
  return (
    <article className={styles.result}>
      <AdjacentLine adjacent={hidesBefore ? null : hit.before} label={i18n._('Previous message')} />
      <Avatar id={message.author_id} name={name} className={styles.avatar} />
      <div className={styles.content}>
        <p className={styles.head}>
          <Link
            href={messageAddress(message)}
            className={styles.open}
            data-result={message.id}
            aria-describedby={excerptId}
            onClick={() => onOpen(hit)}
          >
            <bdi className={styles.name}>{name}</bdi>{' '}
            <time className={styles.time} dateTime={at} title={formatDateTime(at)}>
              {formatDayAndTime(at)}
            </time>
          </Link>
          {message.thread_root ? (
            <span className={styles.thread}>
              <Icon of={MessagesSquare} />
              {i18n._('in a thread')}
            </span>
          ) : null}
        </p>
        <div id={excerptId} className={styles.excerpt}>
          {filesFirst ? files : null}
          {message.body ? (
            <MessageContext value={{ message, mayTick: false }}>
              <Body body={message.body} change={highlightBlocks(findMatches)} />
            </MessageContext>
          ) : null}
          {filesFirst ? null : files}
        </div>
      </div>
      <AdjacentLine adjacent={hidesAfter ? null : hit.after} label={i18n._('Next message')} />
    </article>
  )
}

/** One line of the message before or after a found one. */
function AdjacentLine({ adjacent, label }: { adjacent: AdjacentMessage | null; label: string }) {
  const shown = useAdjacentMessage(adjacent)
  const author = useProfile(shown?.author_id ?? '')
  if (!shown) return null
  return (
    <p className={styles.adjacent}>
      <span className="visually-hidden">{label}: </span>
      <bdi className={styles.by}>{author?.name ?? i18n._('Former member')}</bdi>{' '}
      <bdi>{adjacentText(shown)}</bdi>
    </p>
  )
}

/** The names of the message's files, the one that was found first, with a passage of its text. */
function Files({
  hit: { file },
  message: { attachments },
  findMatches,
}: Pick<Props, 'hit' | 'findMatches'> & { message: Message }) {
  const found = file ? attachments[file.position] : undefined
  const shown = [...attachments.filter((one) => one === found), ...attachments.filter((one) => one !== found)]
  const hidden = shown.length - MAX_FILES
  return (
    <>
      {shown.slice(0, MAX_FILES).map((one) => (
        <Fragment key={one.id}>
          <p className={styles.file}>
            <Icon of={Paperclip} />
            <bdi>{highlightText(one.name, findMatches)}</bdi>
          </p>
          {one === found && file?.excerpt !== undefined ? (
            <p className={styles.passage} dir="auto">
              {highlightText(file.excerpt, findMatches)}
            </p>
          ) : null}
        </Fragment>
      ))}
      {hidden > 0 ? (
        <p className="note">{i18n._('{count, plural, one {# more} other {# more}}', { count: hidden })}</p>
      ) : null}
    </>
  )
}
