import { i18n } from '@lingui/core'
import type { Message, Reaction } from '../../../../wire/linnet.ts'
import { toggleReaction } from '../../../data/messages.ts'
import { useMembers } from '../../../data/people.ts'
import { useNotice } from '../../../ui/notice.ts'
import { useMe } from '../../people/MeContext.ts'
import styles from './Reactions.module.css'
import { EmojiButton } from './EmojiButton.tsx'
import { SmilePlus } from '../icons.ts'

/** What people answered with one sign; a press joins or leaves. */
export function Reactions({ message, mayReact }: { message: Message; mayReact: boolean }) {
  const notice = useNotice()
  const toggle = async (emoji: string) => {
    const outcome = await toggleReaction(message, emoji)
    if (!outcome.ok) notice({ words: outcome.failure.sentence })
  }
  return (
    <div className={styles.reactions} role="group" aria-label={i18n._('Reactions')}>
      {message.reactions.map((reaction) => (
        <Chip
          key={reaction.emoji}
          reaction={reaction}
          disabled={!mayReact}
          onToggle={() => void toggle(reaction.emoji)}
        />
      ))}
      {mayReact ? (
        <EmojiButton
          label={i18n._('Add a reaction')}
          icon={SmilePlus}
          className={styles.add}
          onPick={(emoji) => void toggle(emoji)}
        />
      ) : null}
    </div>
  )
}

function Chip(props: { reaction: Reaction; disabled: boolean; onToggle: () => void }) {
  const { reaction, disabled, onToggle } = props
  const who = useNames(reaction.people, reaction.count)
  return (
    <button
      type="button"
      className={styles.chip}
      aria-pressed={reaction.mine === true}
      aria-label={`${reaction.emoji} ${reaction.count}, ${who}`}
      title={who}
      disabled={disabled}
      onClick={onToggle}
    >
      <span className={styles.emoji}>{reaction.emoji}</span>
      <span className={styles.count}>{reaction.count}</span>
    </button>
  )
}

/** "You, Bea and 3 others". */
function useNames(ids: string[], count: number): string {
  const me = useMe()
  const members = useMembers()
  const names = ids
    .slice(0, 8)
    .map((id) =>
      id === me.profile.id
        ? i18n._('You')
        : (members.find((member) => member.profile.id === id)?.profile.name ?? i18n._('someone')),
    )
  const rest = count - names.length
  if (rest > 0) names.push(i18n._('{rest, plural, one {# other} other {# others}}', { rest }))
  return new Intl.ListFormat(i18n.locale, { type: 'conjunction' }).format(names)
}
