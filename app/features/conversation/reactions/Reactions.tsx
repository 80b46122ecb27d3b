import { i18n } from '@lingui/core'
import type { Message, Reaction } from '../../../../wire/messages.ts'
import { toggleReaction } from '../../../data/messages/messages.ts'
import { emojiReactions } from '../../../data/messages/reactionKeys.ts'
import { useToast } from '../../../ui/toast.ts'
import { useLongPress } from '../../../ui/useLongPress.ts'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import styles from './Reactions.module.css'
import { EmojiButton } from '../../parts/emoji/EmojiButton.tsx'
import { withEmoji } from '../../parts/emoji/EmojiText.tsx'
import { useNames } from '../../parts/members/useNames.ts'
import { SmilePlus } from '../../parts/icons.ts'

/** The emoji reactions of a message, if it has any. A click adds or removes the reader's own reaction. */
export function Reactions({ message, mayReact }: { message: Message; mayReact: boolean }) {
  const showToast = useToast()
  const open = useOverlay()
  const reactions = emojiReactions(message)
  const toggle = async (emoji: string) => {
    const outcome = await toggleReaction(message, emoji)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  if (reactions.length === 0) return null
  return (
    <div className={styles.reactions} role="group" aria-label={i18n._('Reactions')}>
      {reactions.map((reaction) => (
        <Chip
          key={reaction.emoji}
          reaction={reaction}
          disabled={!mayReact}
          onToggle={() => void toggle(reaction.emoji)}
          onWho={() =>
            open({
              kind: 'reactions',
              channelId: message.channel_id,
              messageId: message.id,
              emoji: reaction.emoji,
            })
          }
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

interface ChipProps {
  reaction: Reaction
  disabled: boolean
  onToggle: () => void
  onWho: () => void
}

/**
 * One emoji with its count. A click toggles the reader's own reaction. A long press or a right click lists all
 * people, and hover and focus show the first of them.
 */
function Chip({ reaction, disabled, onToggle, onWho }: ChipProps) {
  const who = useNames(reaction.people, reaction.count)
  const press = useLongPress(onWho, () => false)
  return (
    <button
      type="button"
      className={styles.chip}
      aria-pressed={reaction.mine === true}
      aria-label={`${reaction.emoji} ${reaction.count}, ${who}`}
      aria-disabled={disabled || undefined}
      data-tooltip={who}
      data-has-long-press
      {...press}
      onPointerDown={(event) => {
        press.onPointerDown(event)
        // The message has a context menu of its own.
        event.stopPropagation()
      }}
      onContextMenu={(event) => {
        event.stopPropagation()
        press.onContextMenu(event)
      }}
      onClick={() => {
        if (!disabled) onToggle()
      }}
    >
      <span className={styles.emoji}>{withEmoji(reaction.emoji)}</span>
      <span>{reaction.count}</span>
    </button>
  )
}
