import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useNameOf } from '../../../data/people/useNameOf.ts'
import { emojiReactions } from '../../../data/messages/reactionKeys.ts'
import { useMessage } from '../../../data/messages/reactions.ts'
import { whoReacted } from '../../../data/messages/whoReacted.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Avatar } from '../../parts/members/avatar/Avatar.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { withEmoji } from '../../parts/emoji/EmojiText.tsx'
import { useMe } from '../../parts/members/MeContext.ts'
import { PersonButton } from '../../parts/members/PersonButton.tsx'
import styles from './WhoReacted.module.css'

interface Props {
  channelId: string
  messageId: string
  /** The emoji to start with; else the first. */
  emoji?: string
  onClose: () => void
}

/** Everyone who reacted to a message, one emoji at a time. */
export default function WhoReacted({ channelId, messageId, emoji, onClose }: Props) {
  const message = useMessage(channelId, messageId)
  const [chosen, setChosen] = useState(emoji)
  const reactions = message ? emojiReactions(message) : []
  const shown = reactions.find((one) => one.emoji === chosen) ?? reactions[0]
  return (
    <Dialog title={i18n._('Who reacted')} onClose={onClose}>
      <div className={layout.body}>
        {shown ? (
          <>
            <div className={styles.tabs} role="group" aria-label={i18n._('Reactions')}>
              {reactions.map((one) => (
                <button
                  key={one.emoji}
                  type="button"
                  className={styles.tab}
                  aria-pressed={one === shown}
                  onClick={() => setChosen(one.emoji)}
                >
                  <span className={styles.emoji}>{withEmoji(one.emoji)}</span> {one.count}
                </button>
              ))}
            </div>
            <People
              key={`${shown.emoji}${shown.count}`}
              messageId={messageId}
              emoji={shown.emoji}
              knownIds={shown.people}
              count={shown.count}
            />
          </>
        ) : (
          <p className="muted">{i18n._('No reactions yet.')}</p>
        )}
      </div>
    </Dialog>
  )
}

interface PeopleProps {
  messageId: string
  emoji: string
  knownIds: string[]
  count: number
}

function People({ messageId, emoji, knownIds, count }: PeopleProps) {
  const me = useMe()
  const nameOf = useNameOf()
  const more = count > knownIds.length
  const { value: all, failure } = useQuery(more ? whoReacted : null, [messageId, emoji])
  const ids = all ?? knownIds
  const rest = count - ids.length
  return (
    <>
      <ul className={layout.list} aria-label={i18n._('People')}>
        {ids.map((id) => {
          const name = nameOf(id) ?? i18n._('Someone')
          return (
            <li key={id}>
              <PersonButton id={id} className={layout.row}>
                <Avatar id={id} name={name} size={24} />
                <bdi className={layout.name}>
                  {id === me.profile.id ? i18n._('{name} (you)', { name }) : name}
                </bdi>
              </PersonButton>
            </li>
          )
        })}
      </ul>
      {failure ? <p role="alert">{failure.message}</p> : null}
      {rest > 0 ? (
        <p className="note">{i18n._('{rest, plural, one {# other} other {# others}}', { rest })}</p>
      ) : null}
    </>
  )
}
