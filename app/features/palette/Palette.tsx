import { i18n } from '@lingui/core'
import { useEffect, useId, useRef, useState } from 'react'
import { cx } from '../../ui/cx.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import type { TypedAhead } from '../overlays/OverlayContext.ts'
import styles from './Palette.module.css'
import { rank } from './rank.ts'
import { useChoices } from './useChoices.tsx'

/** So many are shown: more are found by another letter. */
const MOST = 40
const PAGE = 8

/** Opens channels and people and runs commands by a few letters of their names. Messages are not searched. */
export default function Palette({ typed, onClose }: { typed: TypedAhead; onClose: () => void }) {
  const [query, setQuery] = useState(() => typed.text)
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const listId = useId()
  const choices = rank(useChoices(onClose), query).slice(0, MOST)
  const chosen = Math.min(at, choices.length - 1)

  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  return (
    <Dialog title={i18n._('Jump to')} bare place="high" onClose={onClose}>
      <input
        className={styles.field}
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls={listId}
        aria-activedescendant={choices.length ? `${listId}-${chosen}` : undefined}
        aria-label={i18n._('Jump to')}
        placeholder={i18n._('Channel, person or command')}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          const to = whereTo(event.key, chosen, choices.length)
          if (to !== null) {
            event.preventDefault()
            setAt(to)
          }
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
          // Else the same key would press what has the focus next.
          event.preventDefault()
          choices[chosen]?.go()
        }}
      />
      <div ref={list} id={listId} role="listbox" aria-label={i18n._('Results')} className={styles.list}>
        {choices.map((choice, index) => (
          <div
            key={choice.key}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={cx(styles.choice, index === chosen && styles.at)}
            onPointerMove={() => setAt(index)}
            onClick={choice.go}
          >
            <span className={styles.sign}>{choice.sign}</span>
            <bdi className={styles.name}>{choice.name}</bdi>
            {choice.hint ? <bdi className={styles.hint}>{choice.hint}</bdi> : null}
            {choice.unread ? (
              <span className={cx(styles.count, choice.unread.calls && styles.calls)}>
                <span aria-hidden>{choice.unread.count}</span>
                <span className="visually-hidden">{choice.unread.words}</span>
              </span>
            ) : null}
          </div>
        ))}
      </div>
      {choices.length === 0 ? (
        <p className={styles.none} role="status">
          {i18n._('No results. Try fewer letters.')}
        </p>
      ) : null}
    </Dialog>
  )
}

/** Where a key leads in the list, or null when it is the field's: Home and End move the caret there. */
function whereTo(key: string, at: number, count: number): number | null {
  if (count === 0) return null
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at + count - 1) % count
  if (key === 'PageDown') return Math.min(at + PAGE, count - 1)
  if (key === 'PageUp') return Math.max(at - PAGE, 0)
  return null
}
