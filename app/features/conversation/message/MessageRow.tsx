import { i18n } from '@lingui/core'
import { memo, Suspense, use, useCallback, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Message } from '../../../../wire/messages.ts'
import { writtenAt } from '../../../data/messages/writtenAt.ts'
import { useProfile } from '../../../data/people/people.ts'
import { useIsMentioned } from '../../../data/userGroups/useUserGroups.ts'
import { formatDateTime, formatTime } from '../../../ui/dates.ts'
import { cx } from '../../../ui/cx.ts'
import { ErrorBoundary, OverlayBoundary } from '../../../ui/ErrorBoundary.tsx'
import { Avatar } from '../../parts/members/avatar/Avatar.tsx'
import { useLongPress } from '../../../ui/useLongPress.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { PersonButton } from '../../parts/members/PersonButton.tsx'
import { Attachments } from '../../parts/files/attachments/Attachments.tsx'
import { CollapsibleBody } from '../../parts/body/CollapsibleBody.tsx'
import { MessageContext } from '../../parts/body/MessageContext.ts'
import { LinkCards } from './extras/LinkCards.tsx'
import { MessageExtras } from './extras/MessageExtras.tsx'
import type { OpenMenu } from './menu/MessageMenu.tsx'
import styles from './MessageRow.module.css'
import { Reactions } from '../reactions/Reactions.tsx'
import { MessageHeader } from './lines/MessageHeader.tsx'
import { ThreadSummary } from './lines/ThreadSummary.tsx'
import { SelectionContext } from './selection/SelectionContext.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { shortcutKey } from '../../../ui/shortcutKey.ts'
import { TOUCH } from '../../../ui/useMedia.ts'

const MembershipRun = lazyComponent(() => import('./lines/MembershipRun.tsx'), { preload: true })
const CrossPostLink = lazyComponent(() => import('./lines/CrossPostLink.tsx'), { preload: true })
const SystemMessage = lazyComponent(() => import('./lines/SystemMessage.tsx'), { preload: true })
// The tools are loaded on hover or focus, after the messages are rendered.
const MessageTools = lazyComponent(() => import('./menu/MessageTools.tsx'), { preload: true })
const MessageMenu = lazyComponent(() => import('./menu/MessageMenu.tsx'), { preload: true })
const PlainMessageRow = lazyComponent(() => import('./PlainMessageRow.tsx'), { preload: true })
const EditMessage = lazyComponent(() => import('./edit/EditMessage.tsx'), { preload: true })

interface Props {
  message: Message
  /** People who joined or left, in one row; `message` is the first. */
  run?: Message[] | undefined
  /** Shows avatar and name: the first of a run. */
  isFirstOfRun: boolean
  scope: 'channel' | 'thread'
  mayPost: boolean
  editing: boolean
  /** The row that Tab focuses; arrow keys move from it. */
  tabStop: boolean
  onEdit: (id: string | null) => void
  onFocus: (id: string) => void
}

/** A row of the timeline: a message with its attachments, reactions and thread. If that fails to render, its text. */
export const MessageRow = memo(function MessageRow(props: Props) {
  return (
    <ErrorBoundary
      fallback={
        <Suspense>
          <PlainMessageRow {...props} />
        </Suspense>
      }
      resetKey={props.message}
    >
      <FormattedRow {...props} />
    </ErrorBoundary>
  )
})

function FormattedRow(props: Props) {
  const { message, run, isFirstOfRun, scope, mayPost, editing, tabStop, onEdit, onFocus } = props
  const me = useMe()
  const author = useProfile(message.author_id)
  const [isHovered, setHovered] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const at = writtenAt(message)
  const isOwn = message.author_id === me.profile.id
  const isDeleted = message.deleted_at !== null
  const isSystem = message.kind === 'system'
  const isMention = useIsMentioned(message.body) && !isOwn
  const mayReact = mayPost && !isDeleted
  const hasNoActions = isDeleted || isSystem || editing
  const selection = use(SelectionContext)?.selection
  const name = message.extras?.sender?.name ?? author?.name ?? i18n._('Former member')
  const press = useLongPress(
    (at, anchor) => setMenu({ at, anchor }),
    (target) => hasNoActions || Boolean(selection) || hasOwnMenu(target),
  )
  const closeMenu = useCallback(() => setMenu(null), [])

  const target = { message, scope, isOwn, mayPost, onEdit }

  return (
    <article
      id={`${scope}-${message.id}`}
      aria-label={i18n._('{name}, {time}', { name, time: formatTime(at) })}
      tabIndex={tabStop ? 0 : -1}
      className={cx(styles.row, isFirstOfRun && styles.head, isMention && styles.mention)}
      // React sends no "enter" to a row that replaces its pending one under the pointer.
      onPointerOver={(event) => setHovered(event.pointerType === 'mouse')}
      onPointerLeave={() => setHovered(false)}
      onFocus={(event) => {
        // A tap focuses the row too. It opens no toolbar: a long press opens the menu.
        setFocused(!matchMedia(TOUCH).matches || event.target.matches(':focus-visible'))
        onFocus(message.id)
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFocused(false)
        delete event.currentTarget.dataset.key
      }}
      onKeyDown={storeEarlyKey}
      {...press}
    >
      {isFirstOfRun && !isSystem ? (
        <PersonButton id={message.author_id} className={styles.avatar} isDecorative>
          <Avatar id={message.author_id} name={name} icon={message.extras?.icon} />
        </PersonButton>
      ) : (
        <RunTime at={at} hidden={isSystem} />
      )}
      <div className={styles.content}>
        {isFirstOfRun && !isSystem ? (
          <MessageHeader
            id={message.author_id}
            name={name}
            at={at}
            isBot={author?.kind === 'bot'}
            tabStop={tabStop}
          />
        ) : null}
        {message.pinned_at === null ? null : <p className={styles.pinned}>{i18n._('Pinned')}</p>}
        <MessageExtras position="above" message={message} extras={message.extras} mayReact={mayReact} />
        <MessageContext value={{ message, mayTick: mayReact }}>
          <Content message={message} run={run} isDeleted={isDeleted}>
            {editing && !isDeleted ? (
              <EditMessage
                message={message}
                scope={scope}
                onEnd={() => {
                  onEdit(null)
                  document.getElementById(`${scope}-${message.id}`)?.focus({ preventScroll: true })
                }}
              />
            ) : null}
          </Content>
        </MessageContext>
        {isDeleted || isSystem ? null : <LinkCards body={message.body} />}
        <MessageExtras position="below" message={message} extras={message.extras} mayReact={mayReact} />
        <BelowText message={message} scope={scope} mayReact={mayReact} />
      </div>
      <Suspense>
        {(isHovered || isFocused || selection) && !hasNoActions ? (
          <ErrorBoundary fallback={null}>
            <MessageTools {...target} tabStop={tabStop} onOpenChange={setFocused} />
          </ErrorBoundary>
        ) : null}
        {menu ? (
          <OverlayBoundary onClose={closeMenu}>
            <MessageMenu {...target} menu={menu} onChange={setMenu} />
          </OverlayBoundary>
        ) : null}
      </Suspense>
    </article>
  )
}

/** The time of a message within a run, shown on hover. */
function RunTime({ at, hidden }: { at: string; hidden: boolean }) {
  return (
    <div className={styles.aside}>
      {hidden ? null : (
        <time className={styles.time} dateTime={at} title={formatDateTime(at)}>
          {formatTime(at)}
        </time>
      )}
    </div>
  )
}

function Content(props: {
  message: Message
  run: Message[] | undefined
  isDeleted: boolean
  children: ReactNode
}) {
  const { message, run, isDeleted, children } = props
  if (children)
    return <Suspense fallback={<CollapsibleBody id={message.id} body={message.body} />}>{children}</Suspense>
  if (isDeleted)
    // An extra shows where it was moved.
    return message.extras ? null : <p className={styles.muted}>{i18n._('This message was deleted.')}</p>
  if (message.kind === 'system')
    return (
      <Suspense fallback={<div className={styles.system} />}>
        {run ? <MembershipRun messages={run} /> : <SystemMessage message={message} />}
      </Suspense>
    )
  const { sender, cards } = message.extras ?? {}
  // The row displays the sender as the author, and the end as cards.
  const body = message.body.slice(sender?.end, cards?.start)
  if (!body) return null
  if (!message.edited_at) return <CollapsibleBody id={message.id} body={body} />
  const edited = (
    <span className={styles.edited} title={formatDateTime(message.edited_at)}>
      {' '}
      {i18n._('edited')}
    </span>
  )
  return <CollapsibleBody id={message.id} body={body} after={edited} />
}

function BelowText({ message, scope, mayReact }: { message: Message; scope: string; mayReact: boolean }) {
  return (
    <>
      {message.attachments.length ? <Attachments message={message} /> : null}
      {message.reactions.length ? <Reactions message={message} mayReact={mayReact} /> : null}
      {scope === 'channel' && message.reply_count > 0 ? <ThreadSummary message={message} /> : null}
      {message.thread_root && message.seq !== null && message.deleted_at === null ? (
        <Suspense fallback={<span className={styles.crossPost}>&nbsp;</span>}>
          <CrossPostLink message={message} scope={scope} />
        </Suspense>
      ) : null}
    </>
  )
}

/** Stores a key that is pressed before the toolbar is loaded. The toolbar then handles it. */
function storeEarlyKey(event: KeyboardEvent<HTMLElement>) {
  const { target, currentTarget: row, metaKey, ctrlKey, altKey } = event
  if (target === row && !metaKey && !ctrlKey && !altKey && !row.querySelector('[data-tools]'))
    row.dataset.key = shortcutKey(event)
}

/** Whether the browser's own menu is more useful: on links, images, code and selected text. */
export function hasOwnMenu(target: Element): boolean {
  if (target.closest('a[href], img, video, audio, pre, textarea, [contenteditable], dialog, [popover]'))
    return true
  const selection = getSelection()
  return selection !== null && !selection.isCollapsed && selection.containsNode(target, true)
}
