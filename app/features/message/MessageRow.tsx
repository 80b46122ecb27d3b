import { i18n } from '@lingui/core'
import { memo, Suspense, useCallback, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { Message } from '../../../wire/linnet.ts'
import { useProfile } from '../../data/people/people.ts'
import { momentOf, timeOf } from '../../ui/clock.ts'
import { cx } from '../../ui/cx.ts'
import { Avatar } from '../people/avatar/Avatar.tsx'
import { useLongPress, type Point } from '../../ui/useLongPress.ts'
import { useMe } from '../people/MeContext.ts'
import { PersonButton } from '../people/PersonButton.tsx'
import { Attachments } from '../files/shown/Attachments.tsx'
import { Body } from './body/Body.tsx'
import styles from './MessageRow.module.css'
import { Reactions } from './reactions/Reactions.tsx'
import { Author } from './lines/Author.tsx'
import { MembershipRun } from './lines/MembershipRun.tsx'
import { SystemLine } from './lines/SystemLine.tsx'
import { ThreadLine } from './lines/ThreadLine.tsx'
import { lazily } from '../../ui/lazily.tsx'

// Wanted when the reader reaches for a message: not before its words are drawn.
const MessageTools = lazily(() => import('./menu/MessageTools.tsx'))
const MessageMenu = lazily(() => import('./menu/MessageMenu.tsx'))
const EditBox = lazily(() => import('./edit/EditBox.tsx'))

interface Props {
  message: Message
  /** People who joined or left, in one row; `message` is the first. */
  run?: Message[] | undefined
  /** Shows face and name: the first of a run. */
  head: boolean
  place: 'channel' | 'thread'
  mayPost: boolean
  editing: boolean
  /** The row that Tab reaches; arrow keys walk from it. */
  tabStop: boolean
  onEdit: (id: string | null) => void
  onFocus: (id: string) => void
}

/** One message with all that hangs on it. */
export const MessageRow = memo(function MessageRow(props: Props) {
  const { message, run, head, place, mayPost, editing, tabStop, onEdit, onFocus } = props
  const me = useMe()
  const author = useProfile(message.author_id)
  const [near, setNear] = useState(false)
  const [held, setHeld] = useState(false)
  const [menu, setMenu] = useState<{ at: Point; anchor: HTMLElement } | null>(null)
  const mine = message.author_id === me.profile.id
  const gone = message.deleted_at !== null
  const system = message.kind === 'system'
  const calls = !mine && !gone && callsFor(message.body, me.profile.id)
  const quiet = gone || system || editing
  const name = author?.name ?? i18n._('Former member')
  const press = useLongPress(
    (at, anchor) => setMenu({ at, anchor }),
    (target) => quiet || hasOwnMenu(target),
  )
  const closeMenu = useCallback(() => setMenu(null), [])

  const reach = { message, place, mine, mayPost, onEdit }

  return (
    <article
      id={`${place}-${message.id}`}
      aria-label={i18n._('{name}, {time}', { name, time: timeOf(message.created_at) })}
      tabIndex={tabStop ? 0 : -1}
      className={cx(styles.row, head && styles.head, calls && styles.calls)}
      onPointerEnter={(event) => setNear(event.pointerType === 'mouse')}
      onPointerLeave={() => setNear(false)}
      onFocus={() => {
        setHeld(true)
        onFocus(message.id)
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setHeld(false)
        delete event.currentTarget.dataset.key
      }}
      onKeyDown={keepKey}
      {...press}
    >
      {head && !system ? (
        <PersonButton id={message.author_id} className={styles.face} twin>
          <Avatar id={message.author_id} name={name} />
        </PersonButton>
      ) : (
        <Aside at={message.created_at} hidden={system} />
      )}
      <div className={styles.content}>
        {head && !system ? (
          <Author id={message.author_id} name={name} at={message.created_at} tabStop={tabStop} />
        ) : null}
        <Content message={message} run={run} gone={gone}>
          {editing && !gone ? (
            <EditBox
              message={message}
              place={place}
              onEnd={() => {
                onEdit(null)
                document.getElementById(`${place}-${message.id}`)?.focus({ preventScroll: true })
              }}
            />
          ) : null}
        </Content>
        <Hanging message={message} place={place} mayPost={mayPost && !gone} />
      </div>
      <Suspense>
        {(near || held) && !quiet ? <MessageTools {...reach} onHold={setHeld} /> : null}
        {menu ? <MessageMenu {...reach} {...menu} onClose={closeMenu} /> : null}
      </Suspense>
    </article>
  )
})

/** The time of a message within a run, shown to the pointer. */
function Aside({ at, hidden }: { at: string; hidden: boolean }) {
  return (
    <div className={styles.aside}>
      {hidden ? null : (
        <time className={styles.time} dateTime={at} title={momentOf(at)}>
          {timeOf(at)}
        </time>
      )}
    </div>
  )
}

function Content(props: {
  message: Message
  run: Message[] | undefined
  gone: boolean
  children: ReactNode
}) {
  const { message, run, gone, children } = props
  if (children) return <Suspense fallback={<Body body={message.body} />}>{children}</Suspense>
  if (gone) return <p className={styles.soft}>{i18n._('This message was deleted.')}</p>
  if (run) return <MembershipRun messages={run} />
  if (message.kind === 'system') return <SystemLine message={message} />
  if (!message.body) return null
  if (!message.edited_at) return <Body body={message.body} />
  const edited = (
    <span className={styles.edited} title={momentOf(message.edited_at)}>
      {' '}
      {i18n._('edited')}
    </span>
  )
  return <Body body={message.body} after={edited} />
}

function Hanging({ message, place, mayPost }: { message: Message; place: string; mayPost: boolean }) {
  return (
    <>
      {message.attachments.length ? <Attachments message={message} /> : null}
      {message.reactions.length ? <Reactions message={message} mayReact={mayPost} /> : null}
      {place === 'channel' && message.reply_count > 0 ? <ThreadLine message={message} /> : null}
      {message.thread_root && message.seq !== null && message.deleted_at === null ? (
        <Elsewhere message={message} place={place} />
      ) : null}
    </>
  )
}

/** A reply that was also sent to the channel: the way to its other place. */
function Elsewhere({ message, place }: { message: Message; place: string }) {
  const { id, channel_id, thread_root, thread_seq } = message
  return place === 'channel' ? (
    <Link href={`/c/${channel_id}/t/${thread_root}?at=${thread_seq}`} className={styles.otherPlace}>
      {i18n._('Replied to a thread')}
    </Link>
  ) : (
    <Link href={`/c/${channel_id}/m/${id}`} className={styles.otherPlace}>
      {i18n._('Also sent to the channel')}
    </Link>
  )
}

/** A key that comes before the tools which know what it does is kept for them. */
function keepKey({ target, currentTarget: row, key, metaKey, ctrlKey, altKey }: KeyboardEvent<HTMLElement>) {
  if (target === row && !metaKey && !ctrlKey && !altKey && !row.querySelector('[data-tools]'))
    row.dataset.key = key
}

/** Where the browser's own menu serves better: links, pictures, code, words that are being selected. */
function hasOwnMenu(target: Element): boolean {
  if (target.closest('a[href], img, video, audio, pre, textarea, dialog, [popover]')) return true
  const selection = getSelection()
  return selection !== null && !selection.isCollapsed && selection.containsNode(target, true)
}

function callsFor(body: string, me: string): boolean {
  return body.includes(`<@${me}>`) || /<!(?:channel|here)>/.test(body)
}
