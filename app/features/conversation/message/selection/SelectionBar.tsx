import { i18n } from '@lingui/core'
import X from 'lucide-react/icons/x'
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import type { Message } from '../../../../../wire/messages.ts'
import { currentMessages } from '../../../../data/messages/currentMessages.ts'
import { mentionedName } from '../../../../data/messages/mentionedName.ts'
import { deleteMessage } from '../../../../data/messages/changeMessages.ts'
import { useDeletions } from '../../../../data/messages/messages.ts'
import { saveMessage } from '../../../../data/messages/savedMessages.ts'
import { useClientSession } from '../../../../data/hooks/useClientSession.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { useCopy } from '../../../../ui/useCopy.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import { isFreeEscape } from '../../../parts/shortcuts/useEscapeKey.ts'
import { Bookmark, Copy, Forward, Quote, Trash2 } from '../../../parts/icons.ts'
import { showDeletedToast } from '../menu/showDeletedToast.ts'
import { messagesAsQuote, messagesAsText } from './messagesAsText.ts'
import { inListOrder, withoutDeleted } from './selectMessages.ts'
import styles from './SelectionBar.module.css'
import type { MessageSelection } from './SelectionContext.ts'
import { countLabel } from './useMessageSelection.ts'

interface Props {
  scope: 'channel' | 'thread'
  selection: MessageSelection
  onChange: (selection: MessageSelection | null) => void
}

const NOTHING_LOADED: ReadonlyMap<string, Message> = new Map()

/** How many messages of a list are selected, and what can be done with them. Escape ends the selection. */
export default function SelectionBar({ scope, selection, onChange }: Props) {
  const bar = useRef<HTMLDivElement>(null)
  const me = useMe()
  const open = useOverlay()
  const copy = useCopy()
  const showToast = useToast()
  const deletions = useDeletions()
  const channel = selection.anchor.channel_id
  const loaded = useClientSession(
    (session) => session?.store.get().channels.get(channel)?.messages ?? NOTHING_LOADED,
  )
  const remaining = withoutDeleted(selection, loaded, deletions)
  const count = remaining?.messages.size ?? 0
  const update = useEffectEvent(onChange)
  useEffect(() => {
    if (remaining !== selection) update(remaining)
  }, [remaining, selection])

  const end = () => onChange(null)
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (!isFreeEscape(event)) return
    // It also closes threads and marks as read.
    event.preventDefault()
    end()
  })
  useEffect(() => {
    // After what handles the key by itself, such as suggestions of the composer, and before the window's listeners.
    document.addEventListener('keydown', onEscape)
    return () => document.removeEventListener('keydown', onEscape)
  }, [])

  useLayoutEffect(() => {
    const list = bar.current?.previousElementSibling
    return () => void requestAnimationFrame(() => restoreFocus(list))
  }, [])

  const withCurrent = async (act: (messages: Message[]) => Promise<unknown> | void) => {
    const messages = await currentMessages(remaining ? inListOrder(remaining, scope) : [])
    if (messages.length > 0) await act(messages)
    else end()
  }
  const copyAs = (format: typeof messagesAsText) => () =>
    void withCurrent(async (messages) => {
      const done = i18n._('{count, plural, one {# message copied.} other {# messages copied.}}', {
        count: messages.length,
      })
      const authorOf = ({ author_id }: Message) => mentionedName(author_id) ?? i18n._('Former member')
      if (await copy(format(messages, authorOf), done)) end()
    })
  const save = () =>
    void withCurrent(async (messages) => {
      for (const message of messages) {
        const outcome = await saveMessage(message, 'saved')
        if (!outcome.ok) return showToast({ text: outcome.failure.message })
      }
      end()
      showToast({
        text: i18n._(
          '{count, plural, one {# message saved for later.} other {# messages saved for later.}}',
          { count: messages.length },
        ),
        action: { label: i18n._('Open'), run: () => navigate(pathTo('saved')) },
      })
    })
  const forward = () =>
    void withCurrent((messages) =>
      open({ kind: 'forward', messageIds: messages.map(({ id }) => id), onForwarded: end }),
    )
  const remove = () =>
    void withCurrent(async (messages) => {
      const own = messages.filter(({ author_id }) => author_id === me.profile.id)
      if (own.length === 0)
        return showToast({ text: i18n._('Only your own messages can be deleted this way.') })
      end()
      for (const { id } of own) {
        const outcome = await deleteMessage(id)
        if (!outcome.ok) return showToast({ text: outcome.failure.message })
      }
      showDeletedToast(
        own.map(({ id }) => id),
        showToast,
        messages.length - own.length,
      )
    })

  return (
    <div ref={bar} className={styles.bar} role="group" aria-label={i18n._('Selected messages')}>
      <IconButton label={i18n._('End selection')} keys="Esc" icon={<Icon of={X} />} onClick={end} />
      <span className={styles.count}>{countLabel(count)}</span>
      <IconButton label={i18n._('Copy text')} icon={<Icon of={Copy} />} onClick={copyAs(messagesAsText)} />
      <IconButton
        label={i18n._('Copy as a quote')}
        icon={<Icon of={Quote} />}
        onClick={copyAs(messagesAsQuote)}
      />
      <IconButton label={i18n._('Forward…')} icon={<Icon of={Forward} />} onClick={forward} />
      <IconButton label={i18n._('Save for later')} icon={<Icon of={Bookmark} />} onClick={save} />
      <IconButton label={i18n._('Delete your messages')} icon={<Icon of={Trash2} />} onClick={remove} />
    </div>
  )
}

/** The buttons and check boxes have disappeared: the focus returns to the row that had it last. */
function restoreFocus(list: Element | null | undefined) {
  if (document.activeElement !== document.body) return
  list?.querySelector<HTMLElement>('article[tabindex="0"]')?.focus({ preventScroll: true })
}
