import { i18n } from '@lingui/core'
import { useLayoutEffect, useRef } from 'react'
import { emojiAtHand } from './emoji.ts'
import styles from './EmojiPicker.module.css'

const COLUMNS = 8

interface Props {
  anchor: HTMLElement
  onPick: (emoji: string) => void
  onClose: () => void
}

/** A small board of emoji over the page; arrow keys walk it. Focus goes back to the anchor. */
export default function EmojiPicker({ anchor, onPick, onClose }: Props) {
  const ref = useRef<HTMLDivElement>(null)

  useLayoutEffect(() => {
    const board = ref.current
    if (!board) return
    board.showPopover()
    const from = anchor.getBoundingClientRect()
    const { width, height } = board.getBoundingClientRect()
    const above = from.top - height - 4
    board.style.top = `${above > 8 ? above : Math.min(from.bottom + 4, innerHeight - height - 8)}px`
    board.style.left = `${Math.max(8, Math.min(from.left, innerWidth - width - 8))}px`
    board.querySelector('button')?.focus({ preventScroll: true })
    const closed = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') onClose()
    }
    board.addEventListener('toggle', closed)
    return () => board.removeEventListener('toggle', closed)
  }, [anchor, onClose])

  function walk(key: string) {
    const buttons = [...(ref.current?.querySelectorAll('button') ?? [])]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }[key]
    if (step === undefined) return false
    buttons[at + step]?.focus()
    return true
  }

  return (
    <div
      ref={ref}
      popover="auto"
      role="group"
      aria-label={i18n._('Emoji')}
      className={styles.board}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (walk(event.key)) event.preventDefault()
        if (event.key === 'Escape') {
          event.preventDefault()
          anchor.focus({ preventScroll: true })
          onClose()
        }
      }}
    >
      {emojiAtHand().map(({ emoji, name }) => (
        <button
          key={emoji}
          type="button"
          aria-label={name}
          title={name}
          className={styles.emoji}
          onClick={() => {
            anchor.focus({ preventScroll: true })
            onClose()
            onPick(emoji)
          }}
        >
          {emoji}
        </button>
      ))}
    </div>
  )
}
