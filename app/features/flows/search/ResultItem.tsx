import { i18n } from '@lingui/core'
import MessagesSquare from 'lucide-react/icons/messages-square'
import Paperclip from 'lucide-react/icons/paperclip'
import { Fragment, memo, useId } from 'react'
import { Link } from '../../../ui/Link.tsx'
import { messageAddress } from '../../../paths.ts'
import type { Message, SearchHit } from '../../../../wire/messages.ts'
import { writtenAt } from '../../../data/messages/writtenAt.ts'
import { useProfile } from '../../../data/people/people.ts'
import { useFoundMessage } from '../../../data/search/useSearch.ts'
import { formatDateTime, formatDayAndTime } from '../../../ui/dates.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Avatar } from '../../parts/members/avatar/Avatar.tsx'
import { Body } from '../../parts/body/Body.tsx'
import { MessageContext } from '../../parts/body/MessageContext.ts'
import type { Matcher } from './findMatches.ts'
import { highlightBlocks, highlightText } from './highlightBlocks.tsx'
import styles from './ResultList.module.css'

/** Names of files that are shown with a message. */
const MAX_FILES = 3

interface Props {
  hit: SearchHit
  findMatches: Matcher
  onOpen: (hit: SearchHit) => void
}

/** A found message: who, when, and an excerpt with the words of the search. A press opens it in its conversation. */
export const ResultItem = memo(function ResultItem({ hit, findMatches, onOpen }: Props) {
  const message = useFoundMessage(hit.message)
  return message ? <Found hit={hit} message={message} findMatches={findMatches} onOpen={onOpen} /> : null
})

function Found({ hit, message, findMatches, onOpen }: Props & { message: Message }) {
  const excerptId = useId()
  const author = useProfile(message.author_id)
  const name = author?.name ?? i18n._('Former member')
  const at = writtenAt(message)
  const files = <Files hit={hit} message={message} findMatches={findMatches} />
  // A long text, whose beginning is shown, would hide the passage that was found.
  const filesFirst = hit.file?.excerpt !== undefined && findMatches(message.body).length === 0
  return (
    <article className={styles.result}>
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
    </article>
  )
}

/** The names of the message's files, the one that was found first, with a passage of its text. */
function Files({
  hit: { file },
  message: { attachments },
  findMatches,
}: Omit<Props, 'onOpen'> & { message: Message }) {
  const found = file ? attachments[file.position] : undefined
  const shown = [...attachments.filter((one) => one === found), ...attachments.filter((one) => one !== found)]
  return shown.slice(0, MAX_FILES).map((one) => (
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
  ))
}
